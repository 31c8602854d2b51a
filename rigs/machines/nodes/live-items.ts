/**
 * The items of a run while a worker in another process works on it.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { until } from '../../servers/processes.ts'
import { hasRedis } from '../../servers/redis.ts'
import { KEY } from '../../servers/server.ts'
import { addressOf, nodes, openAccount, withKey } from './shared.ts'

describe.skipIf(!hasRedis)('live items across nodes', () => {
  test('an API shows the items so far of a run, also after its worker was killed: it starts over', async () => {
    const [api, other] = withKey(KEY)
    const { body: run } = await api('/v1/storm/slow', { ms: 600_000 })
    const itemsOf = async (key = KEY) => {
      const answer = await fetch(`${addressOf(1)}/v1/runs/${run.run_id}/items`, {
        headers: { authorization: `Bearer ${key}` },
      })
      const items = answer.status === 200 ? ((await answer.json()) as { n: number }[]) : []
      return { status: answer.status, isFinal: answer.headers.get('items-final'), items }
    }
    const ordered = ({ length }: readonly unknown[]) => Array.from({ length }, (_, n) => ({ n }))
    const hasItems = async () => (await itemsOf()).items.length > 0
    await until(hasItems)
    const before = await itemsOf()
    expect(before).toEqual({ status: 200, isFinal: 'false', items: ordered(before.items) })
    expect((await itemsOf((await openAccount()).key)).status).toBe(404)

    const workers = nodes.filter(({ role }) => role === 'worker')
    await Promise.all(workers.map((worker) => worker.kill()))
    expect((await itemsOf()).status).toBe(200)
    await Promise.all(workers.map((worker) => worker.start()))
    await until(async () => (await other(`/v1/runs/${run.run_id}`)).body.attempt === 2)
    await until(hasItems)
    const again = await itemsOf()
    expect(again).toEqual({ status: 200, isFinal: 'false', items: ordered(again.items) })

    await api(`/v1/runs/${run.run_id}/cancel`, {})
    const { body: ended } = await other(`/v1/runs/${run.run_id}?wait=30`)
    const after = await itemsOf()
    expect(after).toEqual({ status: 200, isFinal: 'true', items: ended.result.items })
    expect(after.items.length).toBeGreaterThanOrEqual(again.items.length)
  }, 60_000)
})
