/** A call that starts a sign-in makes one link for each Idempotency-Key, and a repeat gets the same link. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { PROBLEMS, type Problem } from '../../src/http/problems.ts'
import { loginEndpoints } from '../../src/http/routes/logins.ts'
import { UNTIMED } from '../../src/http/time-limit.ts'
import type { KeyPrincipal } from '../../src/keys/principal.ts'
import { problemOf } from './problem-of.ts'
import { type Client, type Service, startService } from './service.ts'

const PLUGINS = join(import.meta.dirname, '..', '..', 'plugins')
const SOURCE = 'microblog'
const OTHER = 'photo'
let service: Service
let client: Client
beforeAll(async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  service = await startService({ deps: () => ({ catalogue }) })
  client = await service.openAccount()
})
afterAll(() => service.close())

// biome-ignore lint/suspicious/noExplicitAny: tests look at JSON
type Json = any
const post = (idempotencyKey: string, source = SOURCE, { key } = client) =>
  service.send(`/v1/logins/${source}`, {
    method: 'POST',
    key,
    headers: { 'idempotency-key': idempotencyKey },
  })
async function start(idempotencyKey: string): Promise<Json> {
  const answer = await post(idempotencyKey)
  expect(answer.status).toBe(201)
  return answer.json()
}
const requests = async ({ accountId } = client) =>
  (await service.events()).filter((e) => e.type === 'LoginRequested' && e.meta.account_id === accountId)
const hashOf = ({ hosted_url }: Json): string =>
  hash('sha256', hosted_url.slice(hosted_url.lastIndexOf('/') + 1))
const open = (link: Json) => service.deps.signInLinks.open(hashOf(link), 'sign-in', service.deps.now())
const NO_LINK = { hosted_url: null, expires_at: null }

test('a repeat gets the same link, and adds no event', async () => {
  const before = (await requests()).length
  const first = await start('a')
  expect([first.state, typeof first.hosted_url]).toEqual(['in_progress', 'string'])
  service.clock.offset += 60_000
  expect(await start('a')).toEqual(first)
  expect(await requests()).toHaveLength(before + 1)
  expect(await open(first)).toBe(true)
})

test('calls with different keys, or with none, have different links', async () => {
  const { key } = client
  const bare = await service.send(`/v1/logins/${SOURCE}`, { method: 'POST', key })
  const links = [await start('b1'), await start('b2'), (await bare.json()) as Json]
  expect(new Set(links.map(({ hosted_url }) => hosted_url)).size).toBe(3)
})

test.each([
  ['was opened', (link: Json) => open(link)],
  ['has expired', expire],
  ['was withdrawn', () => service.deps.logins.delete(client.accountId, SOURCE, causeNow())],
  ['was closed', async (link: Json) => (await open(link)) && service.deps.signInLinks.close(hashOf(link))],
])('once its link %s, a repeat gets the login without a link, and no new one', async (end, act) => {
  const first = await start(end)
  await act(first)
  expect(await start(end)).toMatchObject({ source: SOURCE, ...NO_LINK })
  expect(await open(first)).toBe(end === 'was opened')
})
async function expire() {
  service.clock.offset += 15 * 60_000
}
const causeNow = () => ({ correlationId: 'test', causationId: 'test', now: service.deps.now() })

test('the same key for another source, or another call, is refused', async () => {
  await start('c')
  expect(await problemOf(post('c', OTHER))).toBe('422 idempotency-key-reused')
  const create = service.post('/admin/create-key', client.key, {}, { 'idempotency-key': 'c' })
  expect(await problemOf(create)).toBe('422 idempotency-key-reused')
})

test("the key of another account is another one, and never leads to this account's link", async () => {
  const stranger = await service.openAccount()
  const [mine, theirs] = [await start('d'), (await (await post('d', SOURCE, stranger)).json()) as Json]
  expect(theirs.hosted_url).not.toBe(mine.hosted_url)
})

test('an invalid key is refused, and makes no link', async () => {
  const before = (await requests()).length
  expect(await problemOf(post('<string>'))).toBe('400 bad-idempotency-key')
  expect(await requests()).toHaveLength(before)
})

test('a call that was cut off between its link and its event makes no second link', async () => {
  const { log } = service.stores
  const append = log.append
  log.append = () => Promise.reject(new Error('killed'))
  expect((await post('e')).status).toBe(500)
  log.append = append
  const first = await start('e')
  expect(await start('e')).toEqual(first)
  expect(await open(first)).toBe(true)
  expect(await start('e')).toMatchObject(NO_LINK)
})

test('events tell nothing from which a link can be computed', async () => {
  const { hosted_url } = await start('f')
  const token = hosted_url.slice(hosted_url.lastIndexOf('/') + 1)
  const text = JSON.stringify(await service.events())
  for (const secret of [token, Buffer.from(token, 'base64url').toString('hex')])
    expect(text).not.toContain(secret)
  const last = (await requests()).at(-1)?.event
  expect(last?.type === 'LoginRequested' && last.data.operation?.id).toMatch(/^[0-9a-f]{64}$/)
})

describe('at once, in two processes', () => {
  /** Makes two calls in each of two processes, one source in each. */
  async function inTwoProcesses(
    idempotencyKey: string,
    sources: readonly string[],
  ): Promise<Promise<Json>[]> {
    const principal = (await service.deps.keys.authenticate(client.key)) as KeyPrincipal
    const processes = sources.map((source) => {
      // Each has a queue of its own.
      const endpoint = loginEndpoints(service.deps).find(({ method }) => method === 'POST')!
      const call = {
        request: new Request('http://localhost/'),
        requestId: 'req_test',
        time: UNTIMED,
        params: { source },
        principal,
        key: principal,
        query: {},
        input: {},
        idempotencyKey,
        body: async () => undefined,
        count: async () => {},
        roleRefusal: () => undefined,
        cause: causeNow(),
      }
      return async () => (await endpoint.handle(call)).json()
    })
    return [...processes, ...processes].map((make) => make())
  }

  test('calls with one key have one link', async () => {
    const answers: Json[] = await Promise.all(await inTwoProcesses('g', [SOURCE, SOURCE]))
    expect(new Set(answers.map(({ hosted_url }) => hosted_url)).size).toBe(1)
    expect(await open(answers[0])).toBe(true)
  })

  test('calls with one key for two sources have the link of one, and the others are refused', async () => {
    const calls = await inTwoProcesses('h', [SOURCE, OTHER])
    const statusOf = (error: unknown): number => PROBLEMS[(error as Problem).code].status
    const statuses = await Promise.all(calls.map((call) => call.then(() => 201, statusOf)))
    expect(statuses.toSorted()).toEqual([201, 201, 422, 422])
  })
})
