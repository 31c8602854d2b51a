/** Rate limits and their headers. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ env: { RATE_KICKOFF: '3', RATE_READ: '1000' } })
})
afterAll(() => service.close())

const search = (key: string) => service.post('/v1/sample/search', key, { query: 'x' })
const entitle = (accountId: never, limits: object) =>
  service.deps.accounts.handle({ type: 'entitle', accountId, limits }, {
    accountId,
    causationId: 'test',
    correlationId: 'test',
    now: Date.now(),
  } as never)

test('every authenticated answer shows the limit and the remaining quota in RateLimit headers', async () => {
  const { key } = await service.openAccount()
  const answer = await search(key)
  expect(answer.headers.get('ratelimit-policy')).toBe('"kickoff";q=3;w=60')
  expect(answer.headers.get('ratelimit')).toMatch(/^"kickoff";r=2;t=\d+$/)
  for (const path of ['/v1/runs', '/v1/runs/run_x', '/v1/runs?limit=0', '/v1/tasks']) {
    const read = await service.send(path, { key })
    expect(read.headers.get('ratelimit-policy')).toBe('"read";q=1000;w=60')
    expect(read.headers.get('ratelimit')).toMatch(/^"read";r=\d+;t=\d+$/)
  }
  const refused = await service.send('/v1/runs', { key: OPERATOR_KEY })
  expect([refused.status, refused.headers.has('ratelimit')]).toEqual([403, true])
  const unknown = await service.send('/v1/runs', { key: 'gln_x' })
  expect([unknown.status, unknown.headers.has('ratelimit')]).toEqual([401, false])
})

test('a kickoff over the limit is 429 with Retry-After and writes nothing; reads and other accounts work', async () => {
  const [a, b] = [await service.openAccount(), await service.openAccount()]
  for (let i = 0; i < 3; i++) expect((await search(a.key)).status).toBe(202)
  const before = (await service.events()).length
  const answer = await search(a.key)
  expect(answer.status).toBe(429)
  const problem = (await answer.json()) as { code: string; retry_after_s: number }
  expect(problem.code).toBe('rate-limited')
  expect(answer.headers.get('retry-after')).toBe(String(problem.retry_after_s))
  expect(problem.retry_after_s).toBeGreaterThan(0)
  expect(answer.headers.get('ratelimit')).toBe(`"kickoff";r=0;t=${problem.retry_after_s}`)
  expect((await service.events()).length).toBe(before)
  expect((await service.send('/v1/runs', { key: a.key })).status).toBe(200)
  expect((await search(b.key)).status).toBe(202)
  // The next kickoff is admitted after Retry-After.
  service.clock.offset += problem.retry_after_s * 1000
  expect((await search(a.key)).status).toBe(202)
})

test('calls of a key without the scope do not use up the kickoffs of the account', async () => {
  const { accountId, key } = await service.openAccount()
  const events = await service.newKey(accountId, ['events'])
  for (let i = 0; i < 5; i++) expect((await search(events)).status).toBe(403)
  expect((await search(key)).headers.get('ratelimit')).toStartWith('"kickoff";r=2;')
})

test('the limit of an account applies from the next request on, and 0 lifts it and omits the headers', async () => {
  const { accountId, key } = await service.openAccount()
  await search(key)
  await entitle(accountId as never, { kickoff_per_minute: 100 })
  expect((await search(key)).headers.get('ratelimit-policy')).toBe('"kickoff";q=100;w=60')
  await entitle(accountId as never, { kickoff_per_minute: 0 })
  for (let i = 0; i < 5; i++) {
    const answer = await search(key)
    expect([answer.status, answer.headers.has('ratelimit'), answer.headers.has('ratelimit-policy')]).toEqual([
      202,
      false,
      false,
    ])
  }
})
