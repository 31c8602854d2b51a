/**
 * Runs on both runtimes: the same ends, results and ledger entries.
 *
 * @module
 */
import { describe, expect } from 'bun:test'
import { until } from '../../../servers/processes.ts'
import { type ComparableAnswer, comparable, comparableAnswer } from '../seen.ts'
import { alike } from '../servers.ts'

describe('a run', () => {
  alike('can be polled right after its kickoff, awaited and listed', async (server) => {
    const kickoff = await server.post('/v1/trial/page', { path: '/list' })
    const id = kickoff.headers.get('run-id')!
    expect((await server.send(`/v1/runs/${id}`)).status).toBe(200)
    const ended = await server.see(`/v1/runs/${id}?wait=30`)
    expect(JSON.parse(ended.body)).toMatchObject({
      run_status: 'succeeded',
      attempt: 1,
      result: {
        items: [
          { title: 'Otter & Söhne', href: '/1' },
          { title: '🦦', href: '/2' },
        ],
        next_cursor: null,
      },
    })
    const list = '/v1/runs?status=succeeded&task_key=trial.page'
    await until(async () => (await server.json(server.send(list))).runs.length === 1)
    const listed = await server.see(`${list}&limit=1`)
    expect(JSON.parse(listed.body).runs).toHaveLength(1)
    return [await comparableAnswer(kickoff), ended, listed]
  })

  alike('called synchronously is 200 with its end, succeeded or failed', async (server) => {
    const sync = { _run: { async: false } }
    const good = await comparableAnswer(await server.post('/v1/faults/count', { count: 2, ...sync }))
    const bad = await comparableAnswer(await server.post('/v1/faults/not-found', { text: 'Ötter', ...sync }))
    expect([good, bad].map(({ status, body }) => [status, JSON.parse(body).run_status])).toEqual([
      [200, 'succeeded'],
      [200, 'failed'],
    ])
    return [good, bad]
  })

  alike('is cancelled while it is running even if its plugin ignores the signal', async (server) => {
    const kickoff = await server.json(server.post('/v1/faults/deaf', {}))
    await server.progressed(kickoff.run_id)
    const cancelled = await server.post(`/v1/runs/${kickoff.run_id}/cancel`, {})
    expect(cancelled.status).toBe(202)
    const run = await server.json(server.send(`/v1/runs/${kickoff.run_id}?wait=30`))
    expect(run).toMatchObject({ run_status: 'cancelled', error: null, result: { partial: true } })
    const again = await comparableAnswer(await server.post(`/v1/runs/${kickoff.run_id}/cancel`, {}))
    expect(JSON.parse(again.body).code).toBe('run-finished')
    expect(await server.booked(run.run_id, 2)).toEqual([1, -1])
    return [comparable(run.result), again]
  })

  alike('is created and charged once for fifty requests with one Idempotency-Key', async (server) => {
    const send = (input: object) => server.post('/v1/faults/count', input, { 'idempotency-key': 'fifty' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ count: 1 })))
    const admitted = answers.filter(({ status }) => status === 202)
    // A request that arrives before the first one is admitted may get 409.
    expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true)
    const ids = new Set(admitted.map(({ headers }) => headers.get('run-id')))
    expect(ids.size).toBe(1)
    const id = [...ids][0]!
    await server.send(`/v1/runs/${id}?wait=30`)
    const replayed = await comparableAnswer(await send({ count: 1 }))
    expect(replayed.headers['idempotency-replayed']).toBe('true')
    const other = await comparableAnswer(await send({ count: 2 }))
    expect(JSON.parse(other.body).code).toBe('idempotency-key-reused')
    expect(await server.booked(id, 1)).toEqual([-1])
    return [replayed, other]
  })
})

describe('the HTTP client', () => {
  const PAGES: Readonly<Record<string, string | number>> = {
    '/list': 2,
    '/empty': 0,
    '/gzip': 2,
    '/latin1': 1,
    '/moved': 2,
    '/twice': 2,
    '/drops': 2,
    '/cut': 'source-unavailable',
    '/gone': 'not-found',
    '/forbidden': 'source-blocked',
    '/abroad': 'source-redirected',
    '/large': 'response-too-large',
  }
  for (const [path, end] of Object.entries(PAGES)) {
    alike(`${path}: ${typeof end === 'number' ? `${end} items` : end}`, async (server) => {
      const run = await server.run('/v1/trial/page', { path })
      expect(run.error?.code ?? run.result.items.length).toBe(end)
      if (path === '/moved') expect(run.result.items[0].title).toBe('seen=1')
      return [run.run_status, comparable(run.result), run.error]
    })
  }
})

alike('the items of a run are complete in each format, few or 15,000', async (server) => {
  const answers: ComparableAnswer[] = []
  for (const count of [3, 15_000]) {
    const { run_id } = await server.run('/v1/faults/many', { count })
    for (const format of ['json', 'ndjson', 'csv'])
      answers.push(await server.see(`/v1/runs/${run_id}/items?format=${format}`))
  }
  expect(answers.map(({ status, body }) => [status, body.match(/\d+/g)?.length])).toEqual(
    [3, 3, 3, 15_000, 15_000, 15_000].map((count) => [200, count]),
  )
  return answers
})
