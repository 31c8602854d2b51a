/** Calls that create a key or a webhook take effect once for each Idempotency-Key of an account. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { Once } from '../../src/http/idempotency.ts'
import { PROBLEMS, type Problem } from '../../src/http/problems.ts'
import { keyEndpoints } from '../../src/http/routes/keys.ts'
import { webhookEndpoints } from '../../src/http/routes/webhooks.ts'
import { UNTIMED } from '../../src/http/time-limit.ts'
import type { KeyPrincipal } from '../../src/keys/principal.ts'
import { problemOf } from './problem-of.ts'
import { type Client, OPERATOR_KEY, type Service, startService } from './service.ts'

let service: Service
let client: Client
beforeAll(async () => {
  const endpoints = (deps: Service['deps']) => {
    const once = new Once(deps)
    return [...keyEndpoints(deps, once), ...webhookEndpoints(deps, once)]
  }
  service = await startService({ endpoints, env: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' } })
})
afterAll(() => service.close())

const post = (path: string, key: string, body: object, idempotencyKey: string) =>
  service.post(path, key, body, { 'idempotency-key': idempotencyKey })
const typesOf = async ({ accountId }: Client, type: string) =>
  (await service.events()).filter((e) => e.type === type && e.meta.account_id === accountId).length

/** How many keys and webhooks an account has. */
async function live({ accountId }: Client): Promise<number> {
  const { keys, webhooks } = service.deps
  const kept = (await keys.list(accountId)).filter(({ revoked_at }) => revoked_at === null)
  return kept.length + (await webhooks.list(accountId)).length
}
const statusOf = (error: unknown): number => PROBLEMS[(error as Problem).code].status

/** Makes two calls in each of two processes, all at once: the first body in one process, the second in the other. */
async function inTwoProcesses(
  path: string,
  { key }: Client,
  bodies: readonly Record<string, unknown>[],
  idempotencyKey: string,
): Promise<Promise<Response>[]> {
  const principal = (await service.deps.keys.authenticate(key)) as KeyPrincipal
  const call = (body: Record<string, unknown>) => ({
    request: new Request('http://localhost/'),
    requestId: 'req_test',
    time: UNTIMED,
    params: {},
    principal,
    key: principal,
    query: {},
    input: body,
    idempotencyKey,
    body: async () => body,
    count: async () => {},
    roleRefusal: () => undefined,
    cause: { correlationId: 'req_test', causationId: 'req_test', now: Date.now() },
  })
  const processes = bodies.map((body) => {
    // Each has a queue of its own.
    const once = new Once(service.deps)
    const endpoints: readonly Endpoint[] = [
      ...keyEndpoints(service.deps, once),
      ...webhookEndpoints(service.deps, once),
    ]
    const endpoint = endpoints.find((each) => each.path === path && each.method === 'POST')!
    return async () => endpoint.handle(call(body))
  })
  return [...processes, ...processes].map((make) => make())
}

describe.each([
  ['/admin/create-key', 'api_key', 'KeyCreated', { name: 'ci' }, { name: 'other' }],
  ['/v1/webhooks', 'secret', 'WebhookCreated', { url: 'http://127.0.0.1/a' }, { url: 'http://127.0.0.1/b' }],
] as const)('%s', (path, shown, type, body, other) => {
  beforeAll(async () => {
    client = await service.openAccount()
  })

  test('a repeat answers the record again, without what is shown once, and creates nothing', async () => {
    const before = await typesOf(client, type)
    const first = await post(path, client.key, body, 'a')
    const record = await first.json()
    expect([first.status, typeof record[shown]]).toEqual([201, 'string'])
    const again = await post(path, client.key, body, 'a')
    expect([again.status, await again.json()]).toEqual([201, { ...record, [shown]: null }])
    expect(await typesOf(client, type)).toBe(before + 1)
  })

  test('another body with the same Idempotency-Key is refused', async () => {
    await post(path, client.key, body, 'b')
    const before = await typesOf(client, type)
    expect(await problemOf(post(path, client.key, other, 'b'))).toBe('422 idempotency-key-reused')
    expect(await typesOf(client, type)).toBe(before)
  })

  test('the Idempotency-Key of another account is another one', async () => {
    const stranger = await service.openAccount()
    const [mine, theirs] = [
      await post(path, client.key, body, 'c'),
      await post(path, stranger.key, other, 'c'),
    ]
    expect([mine.status, theirs.status, typeof (await theirs.json())[shown]]).toEqual([201, 201, 'string'])
  })

  test('a call that was refused leaves its Idempotency-Key unused', async () => {
    expect((await post(path, client.key, { ...body, nothing: 1 }, 'd')).status).toBe(422)
    expect((await post(path, client.key, body, 'd')).status).toBe(201)
  })

  test('calls at once, in two processes and with different bodies, leave one thing', async () => {
    const before = await live(client)
    const answers = await inTwoProcesses(path, client, [body, other], 'f')
    const statuses = await Promise.all(answers.map((call) => call.then(({ status }) => status, statusOf)))
    expect(statuses.toSorted()).toEqual([201, 201, 422, 422])
    expect(await live(client)).toBe(before + 1)
  })

  test('calls at once, in two processes, leave one thing, and one answer shows its secret', async () => {
    const before = await live(client)
    const answers = await Promise.all(await inTwoProcesses(path, client, [body, body], 'e'))
    const records = await Promise.all(answers.map((answer) => answer.json()))
    expect(records.filter((record) => record[shown] !== null)).toHaveLength(1)
    const ids = new Set(records.map(({ key_id, webhook_id }) => key_id ?? webhook_id))
    expect(ids.size).toBe(1)
    expect(await live(client)).toBe(before + 1)
  })
})

test("an operator's call to create a key has an Idempotency-Key of the operator", async () => {
  const { accountId } = await service.openAccount()
  const body = { account_id: accountId, name: 'theirs' }
  const first = await (await post('/admin/create-key', OPERATOR_KEY, body, 'a')).json()
  const again = await (await post('/admin/create-key', OPERATOR_KEY, body, 'a')).json()
  expect(again).toEqual({ ...first, api_key: null })
})

test('the Idempotency-Key of a webhook that was deleted is refused with what to do', async () => {
  const { key } = await service.openAccount()
  const body = { url: 'http://127.0.0.1/gone' }
  const { webhook_id } = await (await post('/v1/webhooks', key, body, 'a')).json()
  await service.send(`/v1/webhooks/${webhook_id}`, { method: 'DELETE', key })
  const answer = await post('/v1/webhooks', key, body, 'a')
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    { code: 'idempotency-key-reused', detail: expect.stringContaining('has been deleted. Use a new key') },
  ])
})

test('the event of a webhook that was created with an Idempotency-Key tells nothing of its URL', async () => {
  const { key } = await service.openAccount()
  const bodies = ['http://127.0.0.1/x', 'http://127.0.0.1/x'].map((url) => ({ url }))
  await post('/v1/webhooks', key, bodies[0]!, 'one')
  await post('/v1/webhooks', key, bodies[1]!, 'two')
  const created = (await service.events()).filter(({ type }) => type === 'WebhookCreated').slice(-2)
  const prints = created.map(({ event }) =>
    event?.type === 'WebhookCreated' ? event.data.operation?.fingerprint : undefined,
  )
  expect(prints).not.toContain(undefined)
  // Equal URLs have different fingerprints, so a URL can't be guessed from one.
  expect(new Set(prints).size).toBe(2)
})
