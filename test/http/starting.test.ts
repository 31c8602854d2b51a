/** Answers while the service starts, which can take long if its stores are unavailable. */
import { expect, test } from 'bun:test'
import { whileStarting } from '../../src/http/routes/system.ts'

const PUBLIC_URL = 'https://example.org/gleaner'
const ask = (path: string, init?: RequestInit) =>
  whileStarting(new Request(`http://localhost${path}`, init), PUBLIC_URL)

test('a request during startup is 503 with problem details and Retry-After', async () => {
  const answer = ask('/v1/encyclopedia/search?x=1', { method: 'POST', body: '{}' })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.headers.get('retry-after')).toBe('1')
  const problem = (await answer.json()) as { request_id: string }
  expect(problem).toMatchObject({
    type: `${PUBLIC_URL}/docs#problem-store-unavailable`,
    code: 'store-unavailable',
    status: 503,
    instance: '/v1/encyclopedia/search',
    retry_after_s: 1,
  })
  expect(problem.request_id).toMatch(/^req_/)
  expect(answer.headers.get('x-request-id')).toBe(problem.request_id)
})

test('during startup healthz is 200 and readyz is 503, in the same format as later', async () => {
  const alive = ask('/healthz')
  expect([alive.status, await alive.json()]).toEqual([200, { status: 'ok' }])
  const ready = ask('/readyz')
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { status: 'not-ready', checks: { start: 'missing' } },
  ])
  for (const answer of [alive, ready]) {
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  }
})
