/**
 * Guarantees across all nodes.
 *
 * @module
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { isTerminalEvent } from '../../../src/domain/events.ts'
import { messagesOf } from '../../../test/http/sse-reader.ts'
import { startReceiver } from '../../../test/webhooks/receiver.ts'
import { until } from '../../servers/processes.ts'
import { hasRedis } from '../../servers/redis.ts'
import { client, KEY, OPERATOR_KEY } from '../../servers/server.ts'
import { person } from '../runtime/console.ts'
import { addressOf, nodes, openAccount, withKey } from './shared.ts'

describe.skipIf(!hasRedis)('across all nodes', () => {
  let apis: ReturnType<typeof withKey>
  beforeAll(() => {
    apis = withKey(KEY)
  })

  test('both APIs share people: setup, sessions, invitations, removals and the limit of sign-in attempts', async () => {
    const [one, other] = [addressOf(0), addressOf(1)]
    const [link, late] = await Promise.all(
      [0, 1].map(async (node) => {
        const linkOf = () => /http:\S+\/console\/setup\/[\w-]{43}/.exec(nodes[node]!.said)?.[0]
        await until(() => linkOf() !== undefined)
        return linkOf()!
      }),
    )
    const password = 'correct horse battery'
    const ann = person(one)
    const { pathname } = new URL(link!)
    const setUp = await ann.post(pathname, { name: 'Ann', email: 'ann@example.org', password })
    expect(setUp.status).toBe(303)
    const own = setUp.headers.get('location')!
    expect(await ann.at(other).get(`${own}/members`)).toContain('ann@example.org')
    // The setup link of the other node is no longer valid.
    expect((await person(other).send(new URL(late!).pathname)).status).toBe(404)

    // The link is shown once, by any node.
    const form = await ann
      .at(other)
      .post(`${own}/members/invite`, { email: 'ben@example.org', role: 'owner' })
    const invited = await ann.get(form.headers.get('location')!)
    const [, invitation = ''] = /(\/console\/invitations\/[\w-]{43})/.exec(invited)!
    const ben = person(one)
    expect((await ben.post(invitation, { name: 'Ben', password })).status).toBe(303)
    expect(await ben.at(other).get(own)).toContain('default')
    const members = await ann.get(`${own}/members`)
    const benId = [...members.matchAll(/name="person_id" value="(per_\w+)"/g)].map(([, id]) => id!).at(-1)!
    expect((await ann.post(`${own}/members/remove`, { person_id: benId })).status).toBe(303)
    // The other API learns of it within a second.
    await until(async () => (await ben.at(other).send(own)).status === 404)

    const tries = Array.from({ length: 12 }, (_, i) =>
      person(i % 2 === 0 ? one : other).post('/console/sign-in', {
        email: 'ann@example.org',
        password: 'wrong',
      }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses).toContain(429)
    expect(statuses.filter((status) => status === 422).length).toBeLessThanOrEqual(9)
    const right = { email: 'ann@example.org', password }
    expect((await person(other).post('/console/sign-in', right)).status).toBe(429)
  })

  test('a key revoked at one API fails on the next request at the other', async () => {
    for (let i = 0; i < 4; i++) {
      const [one, other] = i % 2 === 0 ? apis : [apis[1], apis[0]]
      const { body: keyRecord } = await one('/admin/create-key', {})
      const [atOne, atOther] = withKey(keyRecord.api_key)
      const there = i % 2 === 0 ? atOther : atOne
      expect((await there('/v1/account')).status).toBe(200)
      expect((await one('/admin/revoke-key', { key_id: keyRecord.key_id })).status).toBe(200)
      expect((await there('/v1/account')).body.code).toBe('revoked-key')
      expect((await other('/v1/account')).status).toBe(200)
    }
  })

  test('a sync call, and a wait at the other API, return when a worker in another process ends the run', async () => {
    const { status, body } = await apis[0]('/v1/storm/quick', { items: 2, _run: { async: false } })
    expect([status, body.run_status, body.result.items]).toEqual([200, 'succeeded', [{ n: 0 }, { n: 1 }]])
    const { body: slow } = await apis[0]('/v1/storm/slow', { ms: 500 })
    const waited = await apis[1](`/v1/runs/${slow.run_id}?wait=30`)
    expect(waited.body.run_status).toBe('succeeded')
  })

  test('a run can be polled at the other API in the next request', async () => {
    for (let i = 0; i < 6; i++) {
      const { body } = await apis[i % 2]!('/v1/storm/quick', { items: 1 })
      const polled = await apis[(i + 1) % 2]!(`/v1/runs/${body.run_id}`)
      expect([polled.status, polled.body.run_id]).toEqual([200, body.run_id])
    }
  })

  test('a run can be followed and cancelled at the other API', async () => {
    const { body: run } = await apis[0]('/v1/storm/slow', { ms: 60_000 })
    const events = await fetch(`${addressOf(1)}/v1/runs/${run.run_id}/events`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    const types: string[] = []
    for await (const { event } of messagesOf(events)) {
      types.push(event)
      if (event === 'RunStarted')
        expect((await apis[1](`/v1/runs/${run.run_id}/cancel`, {})).status).toBe(202)
    }
    expect(types[0]).toBe('RunRequested')
    expect(types.at(-1)).toBe('RunCancelled')
    const { body: ended } = await apis[0](`/v1/runs/${run.run_id}`)
    expect([ended.run_status, ended.credits.refunded]).toEqual(['cancelled', 3])
  })

  test('twenty requests with one Idempotency-Key at both APIs make one run and one charge', async () => {
    const { key } = await openAccount()
    const both = withKey(key)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        both[i % 2]!('/v1/storm/quick', { items: 1 }, { 'idempotency-key': 'once' }),
      ),
    )
    const ids = new Set(replies.flatMap(({ body }) => body.run_id ?? []))
    expect(ids.size).toBe(1)
    for (const { status, body } of replies)
      expect([202, 200].includes(status) || body.code === 'idempotency-in-progress').toBe(true)
    await both[0](`/v1/runs/${[...ids][0]}?wait=30`)
    expect((await both[1]('/v1/account')).body.balance).toBe(10_000 - 2)
  })

  test('rate limits count the calls at both APIs together', async () => {
    const { key } = await openAccount({ kickoff_per_minute: 6 })
    const both = withKey(key)
    const statuses: number[] = []
    for (let i = 0; i < 10; i++) statuses.push((await both[i % 2]!('/v1/storm/quick', { items: 0 })).status)
    expect(statuses.filter((status) => status === 202).length).toBe(6)
    expect(statuses.filter((status) => status === 429).length).toBe(4)
  })

  test('of two concurrent kickoffs at two APIs with credits for one, exactly one gets 403 insufficient-credits', async () => {
    const operator = client(addressOf(0), OPERATOR_KEY)
    const { body } = await operator('/admin/accounts', { name: 'poor', credits: 3 })
    const both = withKey(body.api_key)
    const replies = await Promise.all(both.map((call) => call('/v1/storm/slow', { ms: 100 })))
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 403])
    const codes = replies.map(({ body }) => body.code).filter(Boolean)
    expect(codes).toEqual(['insufficient-credits'])
  })

  test('the limit of concurrent runs holds across both workers', async () => {
    const { id, key } = await openAccount({ concurrent_runs: 2 })
    const both = withKey(key)
    const runs = await Promise.all(
      Array.from({ length: 6 }, (_, i) => both[i % 2]!('/v1/storm/slow', { ms: 200 })),
    )
    const operator = client(addressOf(1), OPERATOR_KEY)
    for (const { body } of runs)
      expect((await both[0](`/v1/runs/${body.run_id}?wait=60`)).body.run_status).toBe('succeeded')
    let [running, most] = [0, 0]
    for (let after = ''; ; ) {
      const { body } = await operator(`/v1/events?limit=500${after}`)
      for (const { source, type } of body.events) {
        if (source !== `/accounts/${id}`) continue
        const name = type.slice('gleaner.'.length)
        if (name === 'RunStarted') most = Math.max(most, ++running)
        if (isTerminalEvent(name)) running--
      }
      if (body.caught_up) break
      after = `&after=${encodeURIComponent(body.next_after)}`
    }
    expect(most).toBe(2)
  }, 60_000)

  test('lists, ledger and balance at the other API include a run right after its kickoff', async () => {
    const { key } = await openAccount()
    const [one, other] = withKey(key)
    const { body: run } = await one('/v1/storm/quick', { items: 1 })
    const [runs, ledger, account] = await Promise.all([
      other('/v1/runs?limit=5'),
      other('/v1/account/ledger?limit=5'),
      other('/v1/account'),
    ])
    expect(runs.body.runs.map(({ run_id }: { run_id: string }) => run_id)).toContain(run.run_id)
    expect(ledger.body.entries[0]).toMatchObject({ run_id: run.run_id, amount: -2 })
    expect(account.body.balance).toBe(9998)
  })

  test('a process without the role api answers /healthz and /readyz only', async () => {
    for (const node of nodes.slice(2)) {
      const call = client(node.address ?? '', KEY)
      expect((await call('/healthz')).status).toBe(200)
      expect((await call('/readyz')).status).toBe(200)
      expect((await call('/v1/account')).status).toBe(404)
      expect((await call('/v1/storm/quick', { items: 1 })).status).toBe(404)
    }
  })

  test('a webhook gets each event once without faults, and another worker takes over after a crash', async () => {
    const { id, key } = await openAccount()
    const receiver = startReceiver()
    const [one, other] = withKey(key)
    const { body: webhook } = await one('/v1/webhooks', { url: receiver.url, types: ['CreditsGranted'] })
    const grant = (call: ReturnType<typeof client>, amount: number) =>
      call('/admin/grant-credits', { account_id: id, amount })
    const operators = [0, 1].map((i) => client(addressOf(i), OPERATOR_KEY))
    const amounts = (all = receiver.received) =>
      all.map(({ event }) => event.data.amount as number).sort((a, b) => a - b)
    const first = Array.from({ length: 12 }, (_, i) => i + 1)
    for (const n of first) expect((await grant(operators[n % 2]!, n)).status).toBe(200)
    await receiver.until((all) => all.length >= first.length)
    expect(amounts()).toEqual(first)
    // A delivery that a worker has sent but not recorded when it dies is sent again.
    await until(async () => {
      const { body } = await other(`/v1/webhooks/${webhook.webhook_id}/deliveries?state=delivered`)
      return body.deliveries.length === first.length
    })
    // One of these two kills hits the worker that owns the endpoint.
    for (const [amount, worker] of [
      [31, 2],
      [32, 3],
    ] as const) {
      await nodes[worker]!.kill()
      await grant(operators[0]!, amount)
      await receiver.until((all) => amounts([...all]).includes(amount))
      if (amount === 31) await nodes[worker]!.start()
    }
    expect(amounts().filter((n) => n <= 30)).toEqual(first)
    await receiver.stop()
  }, 60_000)
})
