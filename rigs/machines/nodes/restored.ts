/**
 * The event store is restored from an older backup while nodes run. They detect it and continue with the restored data,
 * without a restart.
 *
 * @module
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { until } from '../../servers/processes.ts'
import { hasRedis } from '../../servers/redis.ts'
import { client, KEY, OPERATOR_KEY } from '../../servers/server.ts'
import type { Node } from './nodes.ts'
import { nodes as all, data, openAccount, shared, withKey } from './shared.ts'

type Call = ReturnType<typeof client>

const ended = async (call: Call, run: string) => (await call(`/v1/runs/${run}?wait=60`)).body.run_status
const listed = async (call: Call): Promise<string[]> =>
  (await call('/v1/runs?limit=500')).body.runs.map(({ run_id }: { run_id: string }) => run_id)

test.skipIf(!hasRedis)(
  'nodes continue with the restored data, without a restart, when their event store was restored from a backup',
  async () => {
    const { stores } = shared()
    const nodes = all.filter(({ address }) => address !== undefined)
    const [one, other] = withKey(KEY)
    const operator = client(nodes[0]!.address!, OPERATOR_KEY)
    const account = await openAccount()
    const busy = withKey(account.key)

    const { body: kept } = await busy[0]('/v1/storm/quick', { items: 1 })
    expect(await ended(busy[1], kept.run_id)).toBe('succeeded')
    const balance = (await busy[1]('/v1/account')).body.balance
    const restore = await stores.backUpEventStore(join(data.path, 'backup'))

    // Missing in the backup: ended runs, their charges, a running run and a key.
    const lost: string[] = []
    for (let i = 0; i < 4; i++) lost.push((await busy[i % 2]!('/v1/storm/quick', { items: 1 })).body.run_id)
    for (const run of lost) expect(await ended(busy[0], run)).toBe('succeeded')
    for (const run of lost) expect((await busy[1](`/v1/runs/${run}`)).status).toBe(200)
    const { body: running } = await busy[0]('/v1/storm/slow', { ms: 60_000 })
    const { body: key } = await one('/admin/create-key', {})
    expect((await client(nodes[1]!.address!, key.api_key)('/v1/account')).status).toBe(200)
    let { body: feed } = await operator('/v1/events?limit=500')
    while (!feed.caught_up) {
      const after = encodeURIComponent(feed.next_after)
      feed = (await operator(`/v1/events?limit=500&after=${after}`)).body
    }
    const stream = await fetch(`${nodes[1]!.address}/v1/runs/${running.run_id}/events`, {
      headers: { authorization: `Bearer ${account.key}` },
    })

    // The projector is stopped, to show that readers detect that its read models belong to another log.
    const projector = nodes.at(-1)!
    process.kill(projector.pid, 'SIGSTOP')
    await restore()

    // Everything that cached data of the log has started over by itself.
    for (const call of busy) await until(async () => (await call(`/v1/runs/${lost[0]}`)).status === 404)
    await stream.body?.pipeTo(new WritableStream()).catch(() => undefined)
    for (const call of busy)
      for (const run of [...lost, running.run_id]) expect((await call(`/v1/runs/${run}`)).status).toBe(404)
    for (const { address = '' } of nodes.slice(0, 2)) {
      const { status, body } = await client(address, key.api_key)('/v1/account')
      expect([status, body.code]).toEqual([401, 'invalid-key'])
    }
    for (const node of nodes) if (node !== projector) expect(await readiness(node)).toBe('degraded')
    process.kill(projector.pid, 'SIGCONT')
    await Promise.all(nodes.map((node) => until(async () => (await readiness(node)) === 'ready')))
    const old = `/v1/events?after=${encodeURIComponent(feed.next_after)}`
    expect((await operator(old)).status).toBe(422)
    for (const call of busy) {
      expect((await call('/v1/account')).body.balance).toBe(balance)
      expect(await listed(call)).toEqual([kept.run_id])
    }
    // New runs are started and listed on both nodes, for an account whose latest events are lost.
    const fresh: string[] = []
    for (let i = 0; i < 4; i++) {
      const { status, body } = await busy[i % 2]!('/v1/storm/quick', { items: 1 })
      expect(status).toBe(202)
      fresh.push(body.run_id)
    }
    for (const run of fresh) expect(await ended(other, run).then(() => ended(busy[1], run))).toBe('succeeded')
    await until(async () => (await listed(busy[0])).length === 5)
    expect(new Set(await listed(busy[1]))).toEqual(new Set([kept.run_id, ...fresh]))
    for (const node of nodes) expect([node.role, await node.stop()]).toEqual([node.role, 0])
  },
  180_000,
)

const readiness = async ({ address }: Node): Promise<string> =>
  ((await (await fetch(`${address}/readyz`)).json()) as { status: string }).status
