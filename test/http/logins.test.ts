/** Logins over HTTP: 428 with a sign-in link, the login resource, and the isolation of accounts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { Logins } from '../../src/login/logins.ts'
import { quiet } from '../worker/quiet.ts'
import { type Client, type Service, startService } from './service.ts'

const PLUGINS = join(import.meta.dirname, 'login-plugins')
const ASKED_AGAIN_MS = 60_000
let service: Service
beforeAll(async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  service = await startService({ deps: () => ({ catalogue }) })
})
afterAll(() => service.close())

// biome-ignore lint/suspicious/noExplicitAny: tests look at JSON
type Json = any
const search = (client: Client, headers?: Record<string, string>) =>
  service.post('/v1/members/search', client.key, { query: 'otter' }, headers)
const eventsOf = async ({ accountId }: Client) =>
  (await service.events()).filter((e) => e.meta.account_id === accountId).map((e) => e.type)
/** Without the first events, which every account has. */
const newEventsOf = async (client: Client) => (await eventsOf(client)).slice(3)
const call = async (
  client: Client,
  method: string,
  path: string,
): Promise<{ status: number; body: Json }> => {
  const reply = await service.send(path, { method, key: client.key })
  return { status: reply.status, body: await reply.json() }
}
const tokenOf = (hostedUrl: string) => hostedUrl.slice(hostedUrl.lastIndexOf('/') + 1)
const cause = () => ({ correlationId: 'test', causationId: 'test', now: service.deps.now() })

/** Saves a state and completes the login, like a sign-in. */
async function signIn({ accountId }: Client, validUntil: number | null = null): Promise<string> {
  const ref = await service.stores.vault.save(accountId, 'members', '{"cookies":[]}')
  const startedAt = service.deps.now()
  await service.deps.logins.complete(accountId, 'members', { ref, validUntil, startedAt }, cause())
  return ref
}

describe('a call of a task that needs a login', () => {
  test('without a login is 428 with link, expiry and source, and makes no charge and no run', async () => {
    const client = await service.openAccount(10)
    const answer = await search(client)
    const body: Json = await answer.json()
    expect([answer.status, body.code, body.source]).toEqual([428, 'login-required', 'members'])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.has('run-id')).toBe(false)
    expect(body.hosted_url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/login\/[A-Za-z0-9_-]{43}$/)
    const inMs = Date.parse(body.expires_at) - Date.now()
    expect(inMs).toBeGreaterThan(14 * 60_000)
    expect(inMs).toBeLessThanOrEqual(15 * 60_000)
    expect(await newEventsOf(client)).toEqual(['LoginRequested'])
    expect((await service.deps.accounts.state(client.accountId)).balance).toBe(10)
    expect((await call(client, 'GET', '/v1/runs')).body.runs).toEqual([])
  })

  test('gets a new link each time, and writes no further event within a minute', async () => {
    const client = await service.openAccount(10)
    const links = [await search(client), await search(client)].map(
      async (answer) => (await answer.json()) as Json,
    )
    const [one, two] = await Promise.all(links)
    expect(one.hosted_url).not.toBe(two.hosted_url)
    expect(await newEventsOf(client)).toEqual(['LoginRequested'])
    service.clock.offset += ASKED_AGAIN_MS
    await search(client)
    expect(await newEventsOf(client)).toEqual(['LoginRequested', 'LoginRequested'])
  })

  test('is admitted after the sign-in, with the Idempotency-Key of the refused call', async () => {
    const client = await service.openAccount(10)
    const key = { 'idempotency-key': 'k' }
    expect((await search(client, key)).status).toBe(428)
    await signIn(client)
    const answer = await search(client, key)
    expect([answer.status, answer.headers.has('idempotency-replayed')]).toEqual([202, false])
    expect((await service.deps.accounts.state(client.accountId)).balance).toBe(5)
  })

  test('gets the run of its Idempotency-Key, even if the login was rejected since', async () => {
    const client = await service.openAccount(10)
    const key = { 'idempotency-key': 'k' }
    const ref = await signIn(client)
    const first: Json = await (await search(client, key)).json()
    await service.deps.logins.reject(client.accountId, 'members', { ref, reason: 'refused' }, cause())
    const again = await search(client, key)
    expect([again.status, ((await again.json()) as Json).run_id]).toEqual([202, first.run_id])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const other = await service.post('/v1/members/search', client.key, { query: 'x' }, key)
    expect(other.status).toBe(422)
    expect((await search(client)).status).toBe(428)
  })

  test('without enough credits is refused without a link', async () => {
    const poor = await service.openAccount(4)
    const answer = await search(poor)
    expect([answer.status, ((await answer.json()) as Json).code]).toEqual([403, 'insufficient-credits'])
    expect(await newEventsOf(poor)).toEqual([])
  })

  test('with invalid input is 422, not 428', async () => {
    const client = await service.openAccount(10)
    expect((await service.post('/v1/members/search', client.key, { query: '' })).status).toBe(422)
    expect(await newEventsOf(client)).toEqual([])
  })

  test('with an expired login is 428, and the log records the rejected login', async () => {
    const client = await service.openAccount(10)
    await signIn(client, service.deps.now() + 1000)
    service.clock.offset += 1000
    expect((await search(client)).status).toBe(428)
    expect(await newEventsOf(client)).toEqual(['LoginCompleted', 'LoginRejected', 'LoginRequested'])
  })
})

test('a task with an optional login is admitted without one', async () => {
  const client = await service.openAccount(10)
  expect((await service.post('/v1/members/profile', client.key, { query: 'otter' })).status).toBe(202)
})

describe('logins as a resource', () => {
  const record = (state: string) => ({
    source: 'members',
    state,
    signed_in_at: null,
    last_used_at: null,
    last_checked_at: null,
  })

  test('are listed with their state: needs_login, in_progress, ready, and needs_login again', async () => {
    const client = await service.openAccount(10)
    const state = async () => (await call(client, 'GET', '/v1/logins')).body.logins
    expect(await state()).toEqual([record('needs_login')])
    const started = await call(client, 'POST', '/v1/logins/members')
    expect([started.status, started.body]).toEqual([
      201,
      { ...record('in_progress'), hosted_url: expect.any(String), expires_at: expect.any(String) },
    ])
    expect(await state()).toEqual([record('in_progress')])
    const ref = await signIn(client)
    expect(await state()).toEqual([
      { ...record('ready'), signed_in_at: expect.any(String), last_checked_at: expect.any(String) },
    ])
    await service.deps.logins.reject(client.accountId, 'members', { ref, reason: 'refused' }, cause())
    expect((await state())[0].state).toBe('in_progress')
    service.clock.offset += 15 * 60_000
    expect((await state())[0].state).toBe('needs_login')
  })

  test('a link is stored only as its hash', async () => {
    const client = await service.openAccount(10)
    const { body } = await call(client, 'POST', '/v1/logins/members')
    const token = tokenOf(body.hosted_url)
    const { signInLinks, now } = service.deps
    expect(await signInLinks.find(token, now())).toBeUndefined()
    expect(await signInLinks.find(hash('sha256', token), now())).toMatchObject({
      account: client.accountId,
      source: 'members',
    })
    expect(JSON.stringify(await service.events())).not.toContain(token)
  })

  test('are deleted with their state and links, and a repeated deletion writes nothing', async () => {
    const client = await service.openAccount(10)
    const ref = await signIn(client)
    const { body } = await call(client, 'POST', '/v1/logins/members')
    const deleted = await call(client, 'DELETE', '/v1/logins/members')
    expect([deleted.status, deleted.body]).toEqual([200, record('needs_login')])
    const { vault } = service.stores
    const { signInLinks, now } = service.deps
    expect(await vault.load(client.accountId, 'members', ref)).toBeUndefined()
    expect(await signInLinks.find(hash('sha256', tokenOf(body.hosted_url)), now())).toBeUndefined()
    expect((await call(client, 'DELETE', '/v1/logins/members')).status).toBe(200)
    expect((await newEventsOf(client)).filter((type) => type === 'LoginDeleted')).toHaveLength(1)
    expect((await search(client)).status).toBe(428)
  })

  test('a sign-in that began before the deletion of its login does not complete it', async () => {
    const client = await service.openAccount(10)
    await call(client, 'POST', '/v1/logins/members')
    const startedAt = service.deps.now()
    service.clock.offset += 10
    await call(client, 'DELETE', '/v1/logins/members')
    const { vault } = service.stores
    const { logins } = service.deps
    const ref = await vault.save(client.accountId, 'members', '{}')
    const signedIn = { ref, validUntil: null, startedAt }
    expect(await logins.complete(client.accountId, 'members', signedIn, cause())).toBe(false)
    expect(await vault.load(client.accountId, 'members', ref)).toBeUndefined()
  })

  test('a newer state replaces the previous one, which is destroyed', async () => {
    const client = await service.openAccount(10)
    const [one, two] = [await signIn(client), await signIn(client)]
    const { vault } = service.stores
    expect(await vault.load(client.accountId, 'members', one)).toBeUndefined()
    expect(await vault.load(client.accountId, 'members', two)).toBeDefined()
  })

  test('the rejection of a state does not destroy a newer one that is saved but not yet completed', async () => {
    const client = await service.openAccount(10)
    const { accountId } = client
    const { logins, now } = service.deps
    const { vault } = service.stores
    const completed = (ref: string, startedAt: number) =>
      logins.complete(accountId, 'members', { ref, validUntil: null, startedAt }, cause())
    const ref = await signIn(client)
    const late = now()
    service.clock.offset += 10
    await call(client, 'DELETE', '/v1/logins/members')
    service.clock.offset += 10
    const one = await signIn(client)
    // Saved, but not completed yet.
    const two = await vault.save(accountId, 'members', '{"cookies":[]}')
    await logins.reject(accountId, 'members', { ref: one, reason: 'refused' }, cause())
    expect(await completed(ref, late)).toBe(false)
    expect(await vault.load(accountId, 'members', one)).toBeUndefined()
    expect(await completed(two, now())).toBe(true)
    expect(await vault.load(accountId, 'members', two)).toBeDefined()
  })

  test('are usable once the log records them, even if old states cannot be destroyed', async () => {
    const client = await service.openAccount(10)
    const { log, signInLinks, ephemeral } = service.deps
    const away = () => Promise.reject(new Error('away'))
    const logins = new Logins({
      log,
      publicUrl: '',
      now: service.deps.now,
      logger: quiet,
      signInLinks,
      ephemeral,
      states: { destroy: away, remove: away, digest: away },
    })
    const signedIn = { ref: 'lgn_1', validUntil: null, startedAt: service.deps.now() }
    expect(await logins.complete(client.accountId, 'members', signedIn, cause())).toBe(true)
    expect((await search(client)).status).toBe(202)
  })

  test('are read incrementally, including events of other writers', async () => {
    const client = await service.openAccount(10)
    const { log, ephemeral, vault } = service.stores
    const { signInLinks } = service.deps
    const read: number[] = []
    const readStream: typeof log.readStream = async (stream, from) => {
      const events = await log.readStream(stream, from)
      read.push(events.length)
      return events
    }
    const options = {
      signInLinks,
      ephemeral,
      states: vault,
      publicUrl: '',
      now: service.deps.now,
      logger: quiet,
    }
    const logins = new Logins({ ...options, log: { ...log, readStream, append: log.append.bind(log) } })
    const usable = async () => (await logins.usable(client.accountId, 'members'))?.ref
    const one = await signIn(client)
    expect([await usable(), await usable()]).toEqual([one, one])
    const two = await signIn(client)
    expect(await usable()).toBe(two)
    await logins.delete(client.accountId, 'members', cause())
    expect([await usable(), await service.deps.logins.usable(client.accountId, 'members')]).toEqual([
      undefined,
      undefined,
    ])
    expect(read).toEqual([1, 0, 1, 0, 1])
  })

  test('of another account are neither shown nor deleted', async () => {
    const [one, two] = [await service.openAccount(10), await service.openAccount(10)]
    await signIn(one)
    expect((await call(two, 'GET', '/v1/logins')).body.logins).toEqual([record('needs_login')])
    await call(two, 'DELETE', '/v1/logins/members')
    expect((await search(one)).status).toBe(202)
    expect((await search(two)).status).toBe(428)
  })

  test('of a suspended account can be read and deleted, but not started', async () => {
    const client = await service.openAccount(10)
    const { accountId } = client
    const suspend = { type: 'entitle', accountId, suspended: true } as const
    await service.deps.accounts.handle(suspend, { ...cause(), accountId })
    const started = await call(client, 'POST', '/v1/logins/members')
    expect([started.status, started.body.code]).toEqual([403, 'account-suspended'])
    expect((await call(client, 'GET', '/v1/logins')).body.logins).toEqual([record('needs_login')])
    expect((await call(client, 'DELETE', '/v1/logins/members')).status).toBe(200)
  })

  test('of an unknown source are 404', async () => {
    const client = await service.openAccount(10)
    for (const method of ['POST', 'DELETE'])
      expect((await call(client, method, '/v1/logins/nowhere')).status).toBe(404)
  })

  test('require the scope runs', async () => {
    const client = await service.openAccount(10, ['admin', 'events'])
    expect((await call(client, 'GET', '/v1/logins')).status).toBe(403)
  })
})
