/** Runs with a login: each uses the login of its own account, and a login that the source refused is not used again. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type AccountId, loginStream, runStream } from '../../src/domain/ids.ts'
import { openStand, type Stand } from './stand.ts'

const MINUTE_MS = 60_000
let stand: Stand
let site: Server
const requests: string[] = []
/** sessions that the site has ended */
const ended = new Set<string>()

beforeAll(async () => {
  site = createServer((request, response) => {
    const user = /session=(\w+)/.exec(request.headers.cookie ?? '')?.[1]
    const isIn = user !== undefined && !ended.has(user)
    requests.push(`${request.url} ${user ?? '-'}`)
    if (request.url === '/home' && !isIn) response.writeHead(302, { location: '/sign-in' })
    else response.writeHead(isIn ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ user: isIn ? user : null }))
  })
  await new Promise<void>((listens) => site.listen(0, '127.0.0.1', listens))
  stand = await openStand({ plugins: join(import.meta.dirname, 'login-plugins') })
  const origins = new Map([['members', `http://127.0.0.1:${(site.address() as AddressInfo).port}`]])
  await stand.startWorker({ sourceOrigins: origins })
})
afterAll(async () => {
  await stand.close()
  site.close()
})
beforeEach(() => {
  requests.length = 0
  ended.clear()
})

const cause = () => ({ correlationId: 'test', causationId: 'test', now: stand.now() })

async function signIn(account: AccountId, user: string): Promise<string> {
  const cookie = { value: user, path: '/', expires: -1, secure: true, httpOnly: true, sameSite: 'Lax' }
  const cookies = [
    { ...cookie, name: 'session', domain: '.members.example' },
    { ...cookie, name: 'elsewhere', domain: 'other.example' },
  ]
  const ref = await stand.vault.save(account, 'members', JSON.stringify({ cookies, origins: [] }))
  const signedIn = { ref, validUntil: null, startedAt: stand.now() }
  await stand.logins.complete(account, 'members', signedIn, cause())
  return ref
}

const end = async (account: AccountId, task = 'me') =>
  stand.ended(await stand.request(account, `members.${task}`))
const loginEvents = async (account: AccountId) =>
  (await stand.log.readStream(loginStream(account, 'members'))).map(({ type }) => type)

test('concurrent runs of several accounts are each signed in as the user of their account', async () => {
  const users = ['ann', 'bob', 'cid']
  const accounts = await Promise.all(users.map(() => stand.openAccount()))
  await Promise.all(accounts.map((account, i) => signIn(account, users[i]!)))
  const runs = await Promise.all([...accounts, ...accounts].map((account) => end(account)))
  expect(runs.map((run) => run.result.items)).toEqual(
    [...users, ...users].map((user) => [{ user, signed_in: true }]),
  )
})

test('a run without its login at the start fails, sends no request and is refunded', async () => {
  const account = await stand.openAccount(10)
  const run = await end(account)
  expect(run).toMatchObject({ run_status: 'failed', error: { code: 'source-login-required' } })
  expect(run.error.detail).toBe(
    'Send the request again, with a new Idempotency-Key or none: its answer says where to sign in.',
  )
  expect(requests).toEqual([])
  await stand.untilBalance(account, 10)
})

describe('a task with an optional login', () => {
  test('runs as a visitor for an account without a login', async () => {
    const run = await end(await stand.openAccount(), 'anyone')
    expect(run.result.items).toEqual([{ user: null, signed_in: false }])
  })

  test('runs signed in for an account with a login', async () => {
    const account = await stand.openAccount()
    await signIn(account, 'ann')
    expect((await end(account, 'anyone')).result.items).toEqual([{ user: 'ann', signed_in: true }])
  })
})

describe('a login that the source refuses', () => {
  test('is recorded before its run fails with a refund, and a new login works', async () => {
    const account = await stand.openAccount(10)
    const ref = await signIn(account, 'ann')
    ended.add('ann')
    const id = await stand.request(account, 'members.me')
    const run = await stand.ended(id)
    expect(run.error.code).toBe('source-login-required')
    expect(run.error.detail).toStartWith('the session has ended. Send the request again')
    await stand.untilBalance(account, 10)
    const [rejected] = (await stand.log.readStream(loginStream(account, 'members'))).slice(-1)
    expect(rejected?.event).toMatchObject({
      type: 'LoginRejected',
      data: { state_ref: ref, reason: 'refused', run_id: id },
    })
    const [failed] = (await stand.log.readStream(runStream(id))).filter(({ type }) => type === 'RunFailed')
    expect(rejected!.position < failed!.position).toBe(true)
    expect(await stand.logins.usable(account, 'members')).toBeUndefined()
    expect(await stand.vault.load(account, 'members', ref)).toBeUndefined()

    await signIn(account, 'ann2')
    expect((await end(account)).result.items).toEqual([{ user: 'ann2', signed_in: true }])
  })

  test('is recorded once when several concurrent runs find out', async () => {
    const account = await stand.openAccount(10)
    await signIn(account, 'ann')
    ended.add('ann')
    await Promise.all([end(account), end(account), end(account)])
    expect(await loginEvents(account)).toEqual(['LoginCompleted', 'LoginRejected'])
  })

  test('is found by the check before a run, ten minutes after its last successful use', async () => {
    const account = await stand.openAccount(10)
    await signIn(account, 'ann')
    await end(account)
    expect(requests).toEqual(['/me ann'])
    stand.clock.offset += 11 * MINUTE_MS
    requests.length = 0
    await end(account)
    expect(requests).toEqual(['/home ann', '/me ann'])
    requests.length = 0
    await end(account)
    expect(requests).toEqual(['/me ann'])
    stand.clock.offset += 11 * MINUTE_MS
    requests.length = 0
    ended.add('ann')
    const run = await end(account)
    expect(run.error.code).toBe('source-login-required')
    expect(requests).toEqual(['/home ann'])
    expect(await stand.logins.usable(account, 'members')).toBeUndefined()
  })
})

test('a login whose state is missing in the vault is rejected without a request to the source', async () => {
  const account = await stand.openAccount(10)
  await signIn(account, 'ann')
  await stand.vault.forget(account)
  expect((await end(account)).error.code).toBe('source-login-required')
  const [rejected] = (await stand.log.readStream(loginStream(account, 'members'))).slice(-1)
  expect(rejected?.event).toMatchObject({ type: 'LoginRejected', data: { reason: 'check-failed' } })
  expect(requests).toEqual([])
})

test('a run records when its login was used and checked', async () => {
  const account = await stand.openAccount(10)
  await signIn(account, 'ann')
  const before = stand.now()
  await end(account)
  const [login] = await stand.logins.list(account, ['members'])
  expect(Date.parse(login?.last_used_at ?? '')).toBeGreaterThanOrEqual(Math.floor(before))
  expect(Date.parse(login?.last_checked_at ?? '')).toBeGreaterThanOrEqual(Math.floor(before))
})
