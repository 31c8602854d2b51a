/** Changes of a run to the state of its login are kept for the next run, and never damage the login. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { until } from '../../rigs/servers/processes.ts'
import { cookiesIn } from '../../src/browser/page/state-changes.ts'
import { type AccountId, loginStream } from '../../src/domain/ids.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { openStand, type Stand } from './stand.ts'

const HOUR_S = 3600
let stand: Stand
let site: Server
/** the cookies that the site received, by request */
const cookies: string[] = []
/** as what the site's check was requested: the header `Sec-Fetch-Dest` */
const checks: unknown[] = []
const heldResponses: ServerResponse[] = []
/** how the site answers the check of a login */
let home: 'in' | 'out' | 'down' = 'in'

beforeAll(async () => {
  site = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site')
    cookies.push(request.headers.cookie ?? '')
    if (pathname === '/home') checks.push(request.headers['sec-fetch-dest'])
    if (pathname === '/gone') return void response.writeHead(404).end()
    const isOut = pathname === '/out' || (pathname === '/home' && home === 'out')
    if (pathname === '/home' && home === 'down') return void response.writeHead(500).end()
    if (isOut) return void response.writeHead(302, { location: '/sign-in' }).end()
    response.setHeader('content-type', 'application/json')
    response.setHeader('set-cookie', searchParams.getAll('set'))
    if (pathname === '/held') return void heldResponses.push(response)
    response.end('{"user":"ann"}')
  })
  await new Promise<void>((listens) => site.listen(0, '127.0.0.1', listens))
  stand = await openStand({ plugins: join(import.meta.dirname, 'login-plugins') })
  const origins = new Map([['members', `http://127.0.0.1:${(site.address() as AddressInfo).port}`]])
  await stand.startWorker({ sourceOrigins: origins, workerConcurrency: 24 })
})
afterAll(async () => {
  site.closeAllConnections()
  await stand.close()
  site.close()
})
beforeEach(() => {
  cookies.length = 0
  checks.length = 0
  heldResponses.length = 0
  home = 'in'
})

const cause = () => ({ correlationId: 'test', causationId: 'test', now: stand.now() })

type Login = { readonly account: AccountId; readonly ref: string }

/** A signed-in account. @param endsS when its session ends; -1: with the browser */
async function signIn(endsS = -1): Promise<Login> {
  const account = await stand.openAccount()
  const cookie = { domain: 'www.members.example', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' }
  const cookies = [
    { ...cookie, name: 'session', value: 's1', expires: endsS },
    { ...cookie, name: 'other', value: 'o1', expires: -1 },
  ]
  const ref = await stand.vault.save(account, 'members', JSON.stringify({ cookies, origins: [] }))
  const validUntil = endsS < 0 ? null : endsS * 1000
  await stand.logins.complete(account, 'members', { ref, validUntil, startedAt: stand.now() }, cause())
  return { account, ref }
}

const begin = ({ account }: Login, ...paths: string[]) => stand.request(account, 'members.ask', { paths })
const end = async (login: Login, ...paths: string[]) => stand.ended(await begin(login, ...paths))
const set = (...cookies: string[]) =>
  `/me?${cookies.map((cookie) => `set=${encodeURIComponent(`${cookie}; Path=/; Secure; HttpOnly`)}`).join('&')}`

/** The cookies of a login in the vault, by name; undefined when the vault has no state. */
async function keptOf({ account, ref }: Login): Promise<Record<string, string> | undefined> {
  const state = await stand.vault.load(account, 'members', ref)
  if (state === undefined) return undefined
  return Object.fromEntries(cookiesIn(state).map(({ name, value }) => [name, value]))
}
const eventsOf = ({ account }: Login) => stand.log.readStream(loginStream(account, 'members'))

test('a run begins with the cookies that the previous run received', async () => {
  const login = await signIn()
  await end(login, set('session=s2', 'third=t1'))
  cookies.length = 0
  await end(login, '/me')
  expect(cookies).toEqual(['session=s2; other=o1; third=t1'])
  // It is the same login: no new sign-in was recorded.
  expect((await eventsOf(login)).map(({ type }) => type)).toEqual(['LoginCompleted'])
})

test('the check of a login has the headers of a browser, in which the login was made, where its source says so', async () => {
  await end(await signIn(), '/out')
  expect(checks).toEqual(['empty'])
})

test('a failed run keeps its cookies too', async () => {
  const login = await signIn()
  expect((await end(login, set('session=s2'), '/gone')).run_status).toBe('failed')
  expect(await keptOf(login)).toEqual({ session: 's2', other: 'o1' })
})

test('a run that changed no cookie does not write the state', async () => {
  const login = await signIn()
  const before = (await stand.vault.list(Number.MAX_SAFE_INTEGER)).find(({ ref }) => ref === login.ref)
  stand.clock.offset += 5000
  await end(login, set('session=s1'))
  const after = (await stand.vault.list(Number.MAX_SAFE_INTEGER)).find(({ ref }) => ref === login.ref)
  expect(after).toEqual(before!)
})

test.each([
  ['deleted', 'session=; Max-Age=0'],
  ['emptied', 'session='],
])('a state whose session cookie was %s is discarded, and the login stays as it was', async (_, cookie) => {
  const login = await signIn()
  expect((await end(login, set(cookie, 'other=o2'))).run_status).toBe('succeeded')
  expect(await keptOf(login)).toEqual({ session: 's1', other: 'o1' })
})

test.each(['in', 'down'] as const)(
  'a refused page is no refused login while its check is %s',
  async (says) => {
    home = says
    const login = await signIn()
    const { error } = await end(login, set('session=s2'), '/out')
    expect(error).toMatchObject({ code: 'source-blocked' })
    expect(error.detail).toContain(says === 'in' ? 'the login still works' : 'could not be checked')
    expect(await keptOf(login)).toEqual({ session: 's2', other: 'o1' })
    expect((await eventsOf(login)).map(({ type }) => type)).toEqual(['LoginCompleted'])
  },
)

test('a state that the source refused is deleted, even with new cookies', async () => {
  home = 'out'
  const login = await signIn()
  expect((await end(login, set('session=s2'), '/out')).error.code).toBe('source-login-required')
  expect(await keptOf(login)).toBeUndefined()
})

test('two concurrent runs keep the cookie changes of both', async () => {
  const login = await signIn()
  const one = await begin(login, set('session=s2'), '/held')
  await until(() => heldResponses.length === 1)
  await end(login, set('other=o2'))
  expect(await keptOf(login)).toEqual({ session: 's1', other: 'o2' })
  heldResponses[0]!.end('{"user":"ann"}')
  await stand.ended(one)
  expect(await keptOf(login)).toEqual({ session: 's2', other: 'o2' })
})

test('many runs of one login that end together keep the cookie changes of all', async () => {
  const login = await signIn()
  const names = Array.from({ length: 20 }, (_, i) => `c${i}`)
  const runs = await Promise.all(names.map((name) => begin(login, set(`${name}=v`), '/held')))
  await until(() => heldResponses.length === names.length)
  for (const response of heldResponses) response.end('{"user":"ann"}')
  await Promise.all(runs.map((id) => stand.ended(id)))
  const kept = await keptOf(login)
  expect(names.filter((name) => kept?.[name] !== 'v')).toEqual([])
})

test('a login deleted during a run does not come back', async () => {
  const login = await signIn()
  const id = await begin(login, set('session=s2'), '/held')
  await until(() => heldResponses.length === 1)
  await stand.logins.delete(login.account, 'members', cause())
  heldResponses[0]!.end('{"user":"ann"}')
  await stand.ended(id)
  expect(await keptOf(login)).toBeUndefined()
  expect((await eventsOf(login)).map(({ type }) => type)).toEqual(['LoginCompleted', 'LoginDeleted'])
})

test('a login deleted during the write of its state leaves no state, even without conditional writes', async () => {
  const login = await signIn()
  const { vault, logins } = stand
  const replace = vault.replace.bind(vault)
  // A store without conditional writes writes a state that was deleted just before.
  vault.replace = async (account, source, ref, state) => {
    await replace(account, source, ref, state)
    vault.destroy = async () => {}
    await logins.delete(account, source, cause())
  }
  try {
    await end(login, set('session=s2'))
  } finally {
    vault.replace = replace
    vault.destroy = Object.getPrototypeOf(vault).destroy
  }
  expect(await keptOf(login)).toBeUndefined()
})

test('a state that cannot be saved does not fail its run and is counted', async () => {
  const login = await signIn()
  const { vault } = stand
  const replace = vault.replace.bind(vault)
  const before = stand.notSaved.count
  vault.replace = () => Promise.reject(new StoreUnavailable('away'))
  try {
    expect((await end(login, set('session=s2'))).run_status).toBe('succeeded')
  } finally {
    vault.replace = replace
  }
  expect(stand.notSaved.count).toBe(before + 1)
  expect(await keptOf(login)).toEqual({ session: 's1', other: 'o1' })
})

test('a session that the source extends stays usable for longer', async () => {
  const now = Math.floor(stand.now() / 1000)
  const login = await signIn(now + 2 * HOUR_S)
  await end(login, set(`session=s1; Max-Age=${24 * HOUR_S}`))
  const ready = await stand.logins.usable(login.account, 'members')
  expect(ready?.validUntil).toBeGreaterThan((now + 23 * HOUR_S) * 1000)
  const completed = { type: 'LoginCompleted', data: { state_ref: login.ref } }
  const events = (await eventsOf(login)).map(({ event }) => event)
  expect(events).toMatchObject([completed, completed])
})
