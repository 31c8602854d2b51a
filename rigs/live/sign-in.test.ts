/**
 * Sign-ins end to end: a real server, a mock site, one Chromium for the person and one for the remote page. The tests
 * share the server, each with a new account. The last two end it, and search everything that it left for typed secrets.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'rebrowser-playwright'
import { belowOf } from '../../test/browser/processes.ts'
import { SEARCH, startMicroblogSite } from '../servers/microblog-site.ts'
import { endAll, type Running, until } from '../servers/processes.ts'
import { addressOf, client, folder, OPERATOR_KEY, startServer } from '../servers/server.ts'
import type { SignInSite } from '../servers/sign-in-site.ts'
import { HostedPerson, openBrowser, PHONE } from '../support/hosted-person.ts'
import { recordsIn } from '../support/hosted-records.ts'

setDefaultTimeout(120_000)
const CANARY = 'canary-Gx7-horse'
const USER = { name: 'lampada', password: CANARY, code: '314159' }
const OTHER = { name: '火', password: `${CANARY}-2`, code: '271828' }
/** The number of people that the service lets in at once. */
const ROOM = 4

let browser: Browser
let site: SignInSite
let server: Running
let address: string
const data = folder()
/** API keys of all accounts */
const keys: string[] = []
/** everything that the service put out: metrics, API responses and logs */
const said: string[] = []

beforeAll(async () => {
  browser = await openBrowser()
  site = await startMicroblogSite([USER, OTHER])
  await serve()
})
afterAll(async () => {
  await browser.close()
  await endAll()
  await site.stop()
  data.remove()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look at JSON
type Json = any
type Call = ReturnType<typeof client>

async function serve(env: Record<string, string> = {}): Promise<void> {
  server = startServer(data.path, { SOURCE_MICROBLOG_ORIGIN: site.origin, LOG_LEVEL: 'trace', ...env })
  address = await addressOf(server)
}

/** Creates an account. @returns a client with its key */
async function account(): Promise<Call> {
  const operator = client(address, OPERATOR_KEY)
  const { body } = await operator<Json>('/admin/accounts', { name: 'x', credits: 1000 })
  keys.push(body.api_key)
  return client(address, body.api_key)
}

const search = (call: Call, headers: Record<string, string> = {}) =>
  call<Json>('/v1/microblog/search', { ...SEARCH, _run: { async: true } }, headers)

async function linkOf(call: Call): Promise<string> {
  const { status, body } = await search(call)
  expect([status, body.code, body.source]).toEqual([428, 'login-required', 'microblog'])
  return body.hosted_url
}

/** Waits for the end of a run, as a client does. */
async function endOf(call: Call, id: string): Promise<Json> {
  expect(id).toBeString()
  const { body } = await call<Json>(`/v1/runs/${id}?wait=60`)
  return body
}

const typesOf = async (call: Call) => {
  const { body } = await call<Json>('/v1/events?limit=500')
  return (body.events as Json[]).map((event) => event.type.replace(/^.*\./, ''))
}

/** Records the API responses of all accounts, and the metrics. */
async function listen(): Promise<void> {
  for (const key of keys)
    for (const path of ['/v1/events?limit=500', '/v1/logins', '/v1/runs']) {
      const { status, body } = await client(address, key)(path)
      expect(status).toBe(200)
      said.push(JSON.stringify(body))
    }
  const metrics = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } })
  said.push(await metrics.text())
}

test('a person signs in by keyboard after mistakes, and the same request works until the site ends the session', async () => {
  const call = await account()
  const key = { 'idempotency-key': 'one' }
  const before = (await call<Json>('/v1/account')).body.credits
  const refused = await search(call, key)
  expect(refused.status).toBe(428)

  const person = await HostedPerson.at(browser, refused.body.hosted_url)
  expect(await person.sees('welcome')).toContain('x.com')
  await person.beginAt('User name')
  expect(await person.page.locator('#address').textContent()).toBe('https://x.com/i/flow/login')
  await person.enter('nobody')
  await person.isAt('User name, again')
  await person.enter(USER.name)
  await person.isAt('Password')
  await person.enter('not the password')
  await person.isAt('Password, again')
  // Tab moves within the remote page: to the checkbox below, and back.
  await person.page.keyboard.press('Tab')
  await person.isAt('Remember me')
  await person.page.keyboard.press('Shift+Tab')
  await person.isAt('Password')
  await person.paste(USER.password)
  await person.send()
  await person.isAt('Code of six digits')
  await person.enter('000000')
  await person.isAt('Code of six digits, again')
  await person.enter(USER.code)
  expect(await person.sees('success')).toContain('is saved')
  expect(person.complaints).toEqual([])
  await person.leave()
  expect(site.sessions).toBe(1)

  const again = await search(call, key)
  expect(again.status).toBe(202)
  const run = await endOf(call, again.body.run_id)
  expect([run.run_status, run.result.items.length > 0]).toEqual(['succeeded', true])
  const { body: logins } = await call<Json>('/v1/logins')
  const own = logins.logins.find(({ source }: Json) => source === 'microblog')
  expect(own).toMatchObject({ state: 'ready', last_used_at: expect.any(String) })
  const spent = before - (await call<Json>('/v1/account')).body.credits

  site.revoke()
  const lost = await search(call)
  expect(lost.status).toBe(202)
  const failed = await endOf(call, lost.body.run_id)
  expect([failed.run_status, failed.error.code]).toEqual(['failed', 'source-login-required'])
  expect(failed.error.detail).toContain('with a new Idempotency-Key or none')
  expect(before - (await call<Json>('/v1/account')).body.credits).toBe(spent)
  const anew = await linkOf(call)
  expect(anew).not.toBe(refused.body.hosted_url)
  expect((await typesOf(call)).filter((type) => type.startsWith('Login'))).toEqual([
    'LoginRequested',
    'LoginCompleted',
    'LoginRejected',
    'LoginRequested',
  ])
})

test('a person signs in on a phone by touch, soft keyboard and input method, after the first browser was killed', async () => {
  const call = await account()
  const lost = await HostedPerson.at(browser, await linkOf(call))
  await lost.beginAt('User name')
  const remotes = belowOf(server.pid).filter(({ command }) => /--user-data-dir=/.test(command))
  for (const { pid } of remotes) process.kill(pid, 'SIGKILL')
  expect(await lost.sees('failure')).toContain('you need a new link')
  await lost.leave()

  const person = await HostedPerson.at(browser, await linkOf(call), PHONE)
  await person.beginAt('User name')
  const top = await person.picture()
  await person.swipe(-300)
  await until(async () => (await person.picture()) !== top)
  await person.touchUntilAt('User name')
  await person.compose('か', OTHER.name)
  await person.send()
  await person.isAt('Password')
  await person.page.keyboard.insertText(OTHER.password)
  await person.send()
  await person.isAt('Code of six digits')
  await person.page.keyboard.insertText(OTHER.code)
  await person.send()
  await person.sees('success')
  expect(person.complaints).toEqual([])
  await person.leave()
  expect((await endOf(call, (await search(call)).body.run_id)).run_status).toBe('succeeded')
})

test('people beyond the available slots are told their place, and get in when somebody leaves', async () => {
  const visits = await Promise.all(
    Array.from({ length: ROOM + 2 }, async () => {
      const link = await linkOf(await account())
      const started = await fetch(`${link}/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ width: 400, height: 600, touch: false, scale: 1 }),
      })
      expect(started.status).toBe(200)
      return listener(link, started.headers.get('set-cookie')!.split(';')[0]!)
    }),
  )
  const inside = () => visits.filter(({ isIn }) => isIn())
  await until(() => inside().length === ROOM)
  await until(() => visits.filter(({ place }) => place() !== undefined).length === 2)
  expect(visits.flatMap(({ place }) => place() ?? []).sort()).toEqual([1, 2])
  await inside()[0]!.end()
  await until(() => inside().length === ROOM + 1)
  await until(() => visits.flatMap(({ place }) => place() ?? []).join() === '1')
  await Promise.all(visits.map((visit) => visit.end()))
})

/** Follows the events of a visit. */
async function listener(link: string, cookie: string) {
  const reply = await fetch(`${link}/stream`, { headers: { cookie } })
  const events: Json[] = []
  void (async () => {
    for await (const { kind, content } of recordsIn(reply.body!))
      if (kind === 0) events.push(JSON.parse(content.toString()))
  })()
  return {
    isIn: () => events.some(({ type }) => type === 'address'),
    place: (): number | undefined =>
      events.some(({ type }) => type === 'address')
        ? undefined
        : events.findLast(({ type }) => type === 'waiting')?.before,
    end: () => fetch(`${link}/end`, { method: 'POST', headers: { cookie } }),
  }
}

describe('a killed service', () => {
  test('tells the person once it is back; the link is used up, and a new link works', async () => {
    const link = await linkOf(await account())
    const key = keys.at(-1)!
    const person = await HostedPerson.at(browser, link)
    await person.beginAt('User name')
    await person.enter(USER.name)
    await person.isAt('Password')
    await person.page.keyboard.type(CANARY)
    await listen()
    const killed = server
    process.kill(killed.pid, 'SIGKILL')
    await killed.ended
    said.push(killed.printed.out + killed.printed.err)
    await serve({ PORT: new URL(address).port })
    expect(await person.sees('failure')).toContain('you need a new link')
    await person.page.goto(link)
    expect(await person.sees('failure')).toContain('you need a new link')
    const again = client(address, key)
    await person.page.goto(await linkOf(again))
    await person.signIn(USER)
    await person.leave()
    expect((await search(again)).status).toBe(202)
  })

  test('leaves no typed secret in any log, event, metric, response or file', async () => {
    await listen()
    server.child.kill('SIGTERM')
    await server.ended
    said.push(server.printed.out + server.printed.err)
    for (const text of said) {
      expect(text.length).toBeGreaterThan(2)
      for (const secret of [CANARY, USER.code]) expect(text).not.toContain(secret)
    }
    const files = readdirSync(data.path, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    )
    expect(files.map(({ name }) => name)).toContain('vault.db')
    for (const { parentPath, name } of files) {
      const content = readFileSync(join(parentPath, name))
      for (const encoded of [
        CANARY,
        Buffer.from(CANARY).toString('base64').slice(0, -2),
        Buffer.from(CANARY, 'utf16le'),
      ])
        expect([name, content.includes(encoded)]).toEqual([name, false])
    }
  })
})
