/** The stores of simulations give the same answers as the stores in Redis to any sequence of calls. */
import { afterAll, describe, test } from 'bun:test'
import fc from 'fast-check'
import type { AccountId, RunId, WebhookId } from '../../../src/domain/ids.ts'
import type { EphemeralStore } from '../../../src/ephemeral/ephemeral-store.ts'
import { KEPT_AFTER_MS } from '../../../src/ephemeral/exit-rests.ts'
import { openRedisEphemeralStore } from '../../../src/ephemeral/redis/ephemeral-store.ts'
import { openRedisTickets } from '../../../src/ephemeral/redis/tickets.ts'
import type { TicketKind, Tickets } from '../../../src/ephemeral/tickets.ts'
import type { Position } from '../../../src/log/event-log.ts'
import { type Checkpoint, type Model, nextOf, type ReadModels } from '../../../src/read/read-models.ts'
import { RedisReadModels } from '../../../src/read/redis/read-models.ts'
import { openRedis, type RedisConnection } from '../../../src/redis/connection.ts'
import type { DeliveryState, DeliveryStore } from '../../../src/webhooks/deliveries/delivery-store.ts'
import { openRedisDeliveryStore } from '../../../src/webhooks/deliveries/redis/delivery-store.ts'
import { delivery } from '../../contract/delivery-store.ts'
import { hasRedis, redisServers, type TestRedis } from '../../servers/redis.ts'
import { alike, namedCall } from './alike.ts'
import { MemoryDeliveryStore } from './deliveries.ts'
import { MemoryEphemeralStore } from './ephemeral.ts'
import { MemoryReadModels } from './read-models.ts'
import { MemoryTickets } from './tickets.ts'

/** Longer than a test, so that nothing expires by the clock of Redis before its end. In milliseconds. */
const LONG_MS = 600_000
const START = Date.now()

const account = fc.constantFrom('acc_a', 'acc_b').map((id) => id as AccountId)
const hash = fc.constantFrom('h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8')
const by = fc.constantFrom('one', 'two')
const few = fc.integer({ min: 1, max: 3 })
const limit = fc.integer({ min: 1, max: 5 })
/** An expiry or due time, in milliseconds from the beginning. */
const soon = fc.nat(15_000)

describe.skipIf(!hasRedis)('stores of simulations answer like those in Redis', () => {
  const servers = redisServers()
  let server: TestRedis | undefined
  let redis: RedisConnection | undefined
  afterAll(() => redis?.close())
  const emptied = async (): Promise<RedisConnection> => {
    server ??= await servers.start()
    redis ??= await openRedis(server.url)
    await server.command('FLUSHALL')
    return redis
  }

  test('the ephemeral store counts calls, grants run slots and records times of last use', async () => {
    type Store = EphemeralStore
    const slot = fc.record({
      run: fc.constantFrom('run_1', 'run_2', 'run_3').map((id) => id as RunId),
      account: fc.constant('acc_a' as AccountId),
      holder: by,
    })
    const kind = fc.constantFrom('try' as const, 'sign-up' as const)
    const names = fc.subarray(['k1', 'k2'], { minLength: 1 })
    const key = fc.constantFrom('e1', 'e2', 'e3')
    const call = fc.oneof(
      namedCall('take', fc.tuple(account, few), (store: Store, [who, most], now) =>
        store.take(who, 'kickoff', most, now),
      ),
      namedCall('take as somebody', fc.tuple(kind, few), (store: Store, [what, most], now) =>
        store.take('ann', what, most, now),
      ),
      namedCall('waitS', fc.tuple(kind, few), (store: Store, [what, most], now) =>
        store.waitS('ann', what, most, now),
      ),
      namedCall('acquire', fc.tuple(slot, fc.nat(2)), (store: Store, [wanted, most], now) =>
        store.runSlots?.acquire(wanted, most, 3000, now),
      ),
      namedCall('renew', fc.array(slot, { maxLength: 3 }), (store: Store, leased, now) =>
        store.runSlots?.renew(leased, 3000, now),
      ),
      namedCall(
        'release',
        fc.tuple(slot, fc.constantFrom(0, LONG_MS)),
        (store: Store, [leased, forMs], now) => store.runSlots?.release(leased, forMs, now),
      ),
      namedCall('used', names, (store: Store, used, now) =>
        used.forEach((name) => void store.used(name, now + 1)),
      ),
      namedCall('lastUsed', names, (store: Store, used) => store.lastUsed(used)),
      namedCall('forget', names, (store: Store, used) => store.forget(used)),
      namedCall(
        'rest of an exit',
        fc.tuple(key, fc.nat(2 * KEPT_AFTER_MS), few),
        (store: Store, [rested, forMs, count], now) =>
          // Times are far apart, so that some rests are over for a day.
          store.exitRests.put(rested, { until: now + forMs, count }, now + forMs / 2),
      ),
      namedCall('rests', fc.subarray(['e1', 'e2', 'e3']), (store: Store, keys) => store.exitRests.get(keys)),
      namedCall('all rests', fc.nat(3 * KEPT_AFTER_MS), (store: Store, later, now) =>
        store.exitRests.all(now + later),
      ),
      namedCall('clear rests', fc.subarray(['e1', 'e2', 'e3']), (store: Store, keys) =>
        store.exitRests.clear(keys),
      ),
    )
    let theirs: EphemeralStore | undefined
    await alike<Store>(call, async () => {
      // Closing makes the previous store write its times of last use now instead of into the next store.
      await theirs?.close()
      theirs = openRedisEphemeralStore(await emptied(), { clock: 'caller' })
      return [new MemoryEphemeralStore(), theirs]
    })
    await theirs?.close()
  })

  test('the delivery store leases endpoints, and queues, finds, lists and sweeps deliveries', async () => {
    type Store = DeliveryStore
    const webhook = fc.constantFrom('whk_a', 'whk_b').map((id) => id as WebhookId)
    const webhooks = fc.subarray(['whk_a', 'whk_b'] as WebhookId[])
    const number = fc.integer({ min: 1, max: 6 })
    const state = fc.constantFrom<DeliveryState[]>('pending', 'delivered', 'failed')
    const newDelivery = fc
      .record({ webhookId: webhook, n: number, state, at: soon, once: fc.boolean(), queuedAt: soon })
      .map(({ n, at, ...more }) => delivery(n, { ...more, nextAt: more.state === 'pending' ? at : null }))
    const some = fc.array(newDelivery, { maxLength: 4 })
    const before = fc.option(number, { nil: undefined }).map((n) => n as Position | undefined)
    const from = fc.oneof(before, fc.constant(null))
    const call = fc.oneof(
      namedCall('lease', fc.tuple(webhooks, by), (store: Store, [ids, holder], now) =>
        store.lease(ids, holder, 1500, now),
      ),
      namedCall('release', fc.tuple(webhooks, by), (store: Store, args) => store.release(...args)),
      namedCall('cursor', webhook, (store: Store, id) => store.cursor(id)),
      namedCall(
        'queue',
        fc.tuple(webhook, some, number, fc.constantFrom('log1', 'log2'), from),
        (store: Store, [id, all, position, logId, from]) =>
          store.queue(
            id,
            all.map((each) => ({ ...each, webhookId: id })),
            { logId, position: position as Position },
            from,
          ),
      ),
      namedCall('put', some, (store: Store, all) => store.put(all)),
      namedCall('put unless replayed', fc.tuple(newDelivery, soon), (store: Store, [one, queuedAt]) =>
        store.put([one], queuedAt),
      ),
      namedCall('find', fc.tuple(webhook, number), (store: Store, [id, n]) => store.find(id, `event-${n}`)),
      namedCall('due', fc.tuple(webhook, limit, fc.boolean()), (store: Store, [id, most, once], now) =>
        store.due(id, now, most, once),
      ),
      namedCall('dueWebhooks', fc.constant(null), async (store: Store, _, now) =>
        [...(await store.dueWebhooks(now))].sort(),
      ),
      namedCall('earliestPending', webhook, (store: Store, id) => store.earliestPending(id)),
      namedCall(
        'list',
        fc.tuple(webhook, fc.record({ state: fc.option(state, { nil: undefined }), before, limit })),
        (store: Store, args) => store.list(...args),
      ),
      namedCall('noted', fc.tuple(webhook, fc.boolean()), (store: Store, [id, success], now) =>
        store.noted(id, success, now + 1),
      ),
      namedCall('forgive', webhook, (store: Store, id) => store.forgive(id)),
      namedCall('health', webhook, (store: Store, id) => store.health(id)),
      namedCall('sweep', soon, (store: Store, time) => store.sweep(time)),
      namedCall('forget', webhook, (store: Store, id) => store.forget(id)),
    )
    await alike<Store>(call, async () => [
      new MemoryDeliveryStore(),
      openRedisDeliveryStore(await emptied(), { clock: 'caller' }),
    ])
  })

  test('the ticket store finds, takes, lists and ends sessions and links', async () => {
    type Store = Tickets
    const kind = fc.constantFrom<TicketKind[]>('session', 'setup')
    // A hash has one kind and one owner, because its secret is used only once.
    const ownerOf = (of: string) =>
      ({ kind: Number(of[1]) % 2 ? 'session' : 'setup', owner: `per_${Number(of[1]) % 3}` }) as const
    const ticketOf = (of: string, at: number) => ({
      ...ownerOf(of),
      expiresAt: START + LONG_MS + at,
      text: `{"at":${at}}`,
    })
    const call = fc.oneof(
      namedCall('put', fc.tuple(hash, soon), (store: Store, [of, at]) => store.put(of, ticketOf(of, at))),
      namedCall('replace', fc.tuple(hash, soon), (store: Store, [of, at]) =>
        store.replace(of, ticketOf(of, at)),
      ),
      namedCall('find', hash, (store: Store, of, now) => store.find(of, START + LONG_MS + now)),
      namedCall('take', fc.tuple(hash, by), (store: Store, [of, who], now) =>
        store.take(of, who, START + LONG_MS + now),
      ),
      namedCall('list', fc.tuple(kind, fc.nat(2)), (store: Store, [what, n], now) =>
        store.list(what, `per_${n}`, START + LONG_MS + now),
      ),
      namedCall('end', fc.tuple(kind, fc.nat(2), fc.array(hash)), (store: Store, [what, n, all]) =>
        store.end(what, `per_${n}`, all),
      ),
    )
    await alike<Store>(call, async () => [new MemoryTickets(), openRedisTickets(await emptied())])
  })

  test('the read models begin, commit, publish and list generations', async () => {
    const indexes = { by_size: ['size'], by_team: ['team', 'size'] }
    const model: Model = { name: 'things', version: 1, indexes }
    type Store = ReadModels & { remembered?: Checkpoint | null }
    const which = fc.constantFrom(model, nextOf(model))
    const key = fc.constantFrom('a', 'ä', '\uffff', '🚀', '')
    const size = fc.constantFrom(-1.5, 0, 2, 10, 'a', 'a\0', '\uffff', '🚀', null)
    const row = fc.option(fc.record({ team: fc.constantFrom('T', 'U', null), size }), { nil: null })
    const rows = fc.uniqueArray(fc.tuple(key, row), { maxLength: 4, selector: ([of]) => of })
    const bound = fc.option(fc.constantFrom(-1.5, 1, 2, 'a', '\uffff'), { nil: undefined })
    const order = fc.constantFrom('ascending' as const, 'descending' as const)
    const query = fc.record({ equals: fc.constantFrom([], ['T']), after: bound, upTo: bound, order, limit })
    /** A checkpoint without the number of its generation, which differs. */
    const comparable = (is: Checkpoint | null) => is && [is.logId, is.position]
    const commit = (
      store: Store,
      of: Model,
      from: Checkpoint | null,
      all: readonly (readonly [string, typeof row extends fc.Arbitrary<infer R> ? R : never])[],
    ) =>
      from &&
      store.commit([
        { model: of, from, to: { ...from, position: (from.position + 1) as Position }, rows: new Map(all) },
      ])
    const call = fc.oneof(
      namedCall(
        'begin',
        fc.tuple(fc.constantFrom('log1', 'log2'), fc.boolean()),
        async (store: Store, args) => comparable(await store.begin(model, ...args)),
      ),
      {
        weight: 3,
        arbitrary: namedCall('commit', fc.tuple(which, rows), async (store: Store, [of, all]) =>
          commit(store, of, await store.checkpoint(of), all),
        ),
      },
      namedCall('remember', which, async (store: Store, of) => {
        store.remembered = await store.checkpoint(of)
      }),
      namedCall('commit what was remembered', fc.tuple(which, rows), (store: Store, [of, all]) =>
        commit(store, of, store.remembered ?? null, all),
      ),
      namedCall('publish', fc.boolean(), (store: Store, anyway) => store.publish(model, anyway)),
      namedCall('checkpoint', which, async (store: Store, of) => comparable(await store.checkpoint(of))),
      namedCall('getMany', fc.tuple(which, fc.array(key)), (store: Store, args) => store.getMany(...args)),
      {
        weight: 2,
        arbitrary: namedCall('list', fc.tuple(which, query), (store: Store, [of, query]) =>
          store.list(of, query.equals.length === 0 ? 'by_size' : 'by_team', query),
        ),
      },
    )
    await alike<Store>(call, async () => [new MemoryReadModels(), new RedisReadModels(await emptied())])
  })
})
