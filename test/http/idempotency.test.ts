/** Repeats with an Idempotency-Key: one run, one charge, and always the same answer. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Client, type Service, startService } from './service.ts'

let service: Service
let client: Client
beforeAll(async () => {
  service = await startService()
  client = await service.openAccount()
})
afterAll(() => service.close())

const search = (key: string, body: object, from = client) =>
  service.post('/v1/sample/search', from.key, body, { 'idempotency-key': key })
const idIn = async (answer: Response) => ((await answer.json()) as { run_id: string }).run_id
const count = async (type: string, from = client) =>
  (await service.events()).filter((e) => e.type === type && e.meta.account_id === from.accountId).length

test('a repeat gets the original run, is marked as replayed, and costs nothing', async () => {
  const first = await search('a', { query: 'x', limit: 5 })
  const charges = await count('CreditsCharged')
  // Another order of the fields is the same request, and so is another call mode.
  const second = await search('a', { limit: 5, query: 'x' })
  expect([first.status, second.status]).toEqual([202, 202])
  expect(first.headers.has('idempotency-replayed')).toBe(false)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  const id = await idIn(first)
  expect(await idIn(second)).toBe(id)
  await service.finish(id)
  const sync = await search('a', { query: 'x', limit: 5, _run: { async: false } })
  expect([sync.status, sync.headers.get('idempotency-replayed'), await idIn(sync)]).toEqual([200, 'true', id])
  const async = await search('a', { query: 'x', limit: 5 })
  expect([async.status, await idIn(async)]).toEqual([202, id])
  expect(await count('CreditsCharged')).toBe(charges)
})

test('a request with an explicit default differs from one without the field', async () => {
  expect((await search('b', { query: 'x' })).status).toBe(202)
  expect((await search('b', { query: 'x', limit: 20 })).status).toBe(422)
})

test('the default of the OpenAPI document, sent as it is, is no key: each request is a new run', async () => {
  const answers = [await search('{{$guid}}', { query: 'x' }), await search('{{$guid}}', { query: 'y' })]
  expect(answers.map(({ status }) => status)).toEqual([202, 202])
  const again = await search('{{$guid}}', { query: 'x' })
  expect(again.headers.has('idempotency-replayed')).toBe(false)
  expect(new Set(await Promise.all([...answers, again].map(idIn))).size).toBe(3)
})

test('a key is refused for another input or task, and replayed through an alias', async () => {
  await search('c', { query: 'x' })
  const before = (await service.events()).length
  for (const [path, body] of [
    ['/v1/sample/search', { query: 'y' }],
    ['/v1/sample/c/x/top', {}],
  ] as const) {
    const answer = await service.post(path, client.key, body, { 'idempotency-key': 'c' })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      422,
      'idempotency-key-reused',
    ])
  }
  expect((await service.events()).length).toBe(before)
  const alias = await service.post(
    '/v1/sample_alt/search',
    client.key,
    { query: 'x' },
    { 'idempotency-key': 'c' },
  )
  expect([alias.status, alias.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
})

test('the same key in two accounts makes two runs', async () => {
  const other = await service.openAccount()
  const mine = await idIn(await search('d', { query: 'x' }))
  const theirs = await search('d', { query: 'y' }, other)
  expect(theirs.status).toBe(202)
  expect(await idIn(theirs)).not.toBe(mine)
})

test('a refused request does not use up its key', async () => {
  const poor = await service.openAccount(0)
  const refused = await search('e', { query: 'x' }, poor)
  expect(refused.status).toBe(403)
  expect((await search('e', { quory: 'x' }, poor)).status).toBe(422)
  const { accountId } = poor
  const cause = { accountId, causationId: 'test', correlationId: 'test', now: Date.now() }
  await service.deps.accounts.handle({ type: 'grant', accountId, amount: 1 }, cause)
  const admitted = await search('e', { query: 'another' }, poor)
  expect([admitted.status, admitted.headers.has('idempotency-replayed')]).toEqual([202, false])
})

test('50 concurrent requests with one key make one run and one charge and get 50 equal answers', async () => {
  const before = [await count('RunRequested'), await count('CreditsCharged')]
  const answers = await Promise.all(Array.from({ length: 50 }, () => search('f', { query: 'x' })))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]))
  const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())))
  expect(bodies.size).toBe(1)
  expect(answers.filter((answer) => !answer.headers.has('idempotency-replayed'))).toHaveLength(1)
  expect([await count('RunRequested'), await count('CreditsCharged')]).toEqual(before.map((n) => n + 1))
})

test('50 concurrent requests with one key and two inputs make one run, and the other input is 422', async () => {
  const before = await count('RunRequested')
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => search('g', { query: i % 2 === 0 ? 'x' : 'y' })),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([
    ...Array(25).fill(202),
    ...Array(25).fill(422),
  ])
  expect(await count('RunRequested')).toBe(before + 1)
})

test('50 concurrent requests with one key and no credits are all refused and make no run', async () => {
  const poor = await service.openAccount(0)
  const answers = await Promise.all(Array.from({ length: 50 }, () => search('h', { query: 'x' }, poor)))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([403]))
  expect(await count('RunRequested', poor)).toBe(0)
})

test('a repeat whose input became invalid gets the original run; a new request with it is refused', async () => {
  const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const ask = (key: string, more: object = {}) =>
    service.post('/v1/sample/visit', client.key, { day, ...more }, { 'idempotency-key': key })
  const first = await ask('day')
  expect(first.status).toBe(202)
  service.clock.offset += 3 * 86_400_000
  const again = await ask('day')
  expect([again.status, await idIn(again)]).toEqual([202, await idIn(first)])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  for (const refused of [await ask('another'), await ask('day', { more: 1 }), await search('day', {})])
    expect(refused.status).toBe(422)
  expect(((await (await ask('another')).json()) as { code: string }).code).toBe('validation-failed')
  service.clock.offset = 0
})
