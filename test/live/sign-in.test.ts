/** The whole of a sign-in: real servers, a mock site, one Chromium as the person's and one as the remote. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'rebrowser-playwright'
import type { SignInSite } from '../../tools/mock-sites/sign-in/site.ts'
import { belowOf, mentioning } from '../browser/processes.ts'
import { endAll, type Running, until } from '../start/processes.ts'
import { addressOf, client, folder, KEY, OPERATOR_KEY, startServer } from '../start/server.ts'
import { HostedPerson, openBrowser, PHONE } from '../support/hosted-person.ts'
import { recordsIn } from '../support/hosted-records.ts'
import { SEARCH, startMicroblogSite } from '../support/microblog-site.ts'

const CANARY = 'canary-Gx7-horse'
const USER = { name: 'lampada', password: CANARY, code: '314159' }
const OTHER = { name: '火', password: 'staple battery', code: '271828' }

let browser: Browser
let site: SignInSite
const folders: { remove(): void }[] = []
beforeAll(async () => {
  browser = await openBrowser()
  site = await startMicroblogSite([USER, OTHER])
})
afterAll(async () => {
  await browser.close()
  await site.stop()
})
afterEach(async () => {
  await endAll()
  site.revoke()
  for (const one of folders.splice(0)) one.remove()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look at JSON
type Json = any

async function serving(env: Record<string, string> = {}, data = folder()) {
  if (!folders.includes(data)) folders.push(data)
  const server = startServer(data.path, { SOURCE_MICROBLOG_ORIGIN: site.origin, LOG_LEVEL: 'trace', ...env })
  const address = await addressOf(server)
  return { server, address, data, call: client(address, KEY) }
}
type Serving = Awaited<ReturnType<typeof serving>>

const search = ({ call }: Serving, headers: Record<string, string> = {}) =>
  call<Json>('/v1/microblog/search', { ...SEARCH, _run: { async: true } }, headers)

async function linkOf(serving: Serving): Promise<string> {
  const { status, body } = await search(serving)
  expect([status, body.code, body.source]).toEqual([428, 'login-required', 'microblog'])
  return body.hosted_url
}

/** A run's end, as a client waits for it. */
async function endOf({ call }: Serving, id: string): Promise<Json> {
  expect(id).toBeString()
  const { body } = await call<Json>(`/v1/runs/${id}?wait=60`)
  return body
}

const typesOf = async ({ call }: Serving) => {
  const { body } = await call<Json>('/v1/events?limit=500')
  return (body.events as Json[]).map((event) => event.type.replace(/^.*\./, ''))
}

describe('somebody signs in', () => {
  test('at a desk, by keys alone, after mistakes; the same request works then, and until the site ends the session', async () => {
    const serves = await serving()
    const key = { 'idempotency-key': 'one' }
    const before = (await serves.call<Json>('/v1/account')).body.credits
    const refused = await search(serves, key)
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
    // Tab goes on in the remote page: to the box below, and back.
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

    const again = await search(serves, key)
    expect(again.status).toBe(202)
    const run = await endOf(serves, again.body.run_id)
    expect([run.run_status, run.result.items.length > 0]).toEqual(['succeeded', true])
    const { body: logins } = await serves.call<Json>('/v1/logins')
    expect(logins.logins[0]).toMatchObject({ source: 'microblog', state: 'ready' })
    expect(logins.logins[0].last_used_at).not.toBe(null)
    const spent = before - (await serves.call<Json>('/v1/account')).body.credits

    site.revoke()
    const lost = await search(serves)
    expect(lost.status).toBe(202)
    const failed = await endOf(serves, lost.body.run_id)
    expect([failed.run_status, failed.error.code]).toEqual(['failed', 'source-login-required'])
    expect(failed.error.detail).toContain('with a new Idempotency-Key or none')
    expect(before - (await serves.call<Json>('/v1/account')).body.credits).toBe(spent)
    const anew = await linkOf(serves)
    expect(anew).not.toBe(refused.body.hosted_url)
    expect((await typesOf(serves)).filter((type) => type.startsWith('Login'))).toEqual([
      'LoginRequested',
      'LoginCompleted',
      'LoginRejected',
      'LoginRequested',
    ])
  }, 120_000)

  test('on a phone, by touch and a keyboard on the screen, with an input method, and scrolls', async () => {
    const serves = await serving()
    const person = await HostedPerson.at(browser, await linkOf(serves), PHONE)
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
    expect((await endOf(serves, (await search(serves)).body.run_id)).run_status).toBe('succeeded')
  }, 120_000)
})

describe('a link', () => {
  test('is good for one window: the second one says so, and the first goes on after a reload', async () => {
    const serves = await serving()
    const link = await linkOf(serves)
    const [one, two] = [await HostedPerson.at(browser, link), await HostedPerson.at(browser, link)]
    await one.beginAt('User name')
    await two.begin()
    expect(await two.sees('failure')).toContain('already used')
    await two.page.reload()
    expect(await two.sees('elsewhere')).toContain('already opened')
    await one.enter(USER.name)
    await one.isAt('Password')
    await one.page.reload()
    await one.isAt('Password')
    await one.enter(USER.password)
    await one.isAt('Code of six digits')
    await one.enter(USER.code)
    await one.sees('success')
    await one.page.goto(link)
    expect(await one.page.textContent('body')).toContain('your login is saved')
    await Promise.all([one.leave(), two.leave()])
  }, 60_000)

  test('that is withdrawn ends the sign-in that it led to', async () => {
    const serves = await serving()
    const person = await HostedPerson.at(browser, await linkOf(serves))
    await person.beginAt('User name')
    await fetch(`${serves.address}/v1/logins/microblog`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${KEY}` },
    })
    expect(await person.sees('failure')).toContain('was deleted')
    await person.leave()
  }, 60_000)
})

describe('a sign-in that is lost', () => {
  const remotesOf = ({ pid }: Running) =>
    belowOf(pid).filter(({ command }) => /--user-data-dir=/.test(command))

  test('with its browser says so, leaves nothing, and another link works', async () => {
    const serves = await serving()
    const person = await HostedPerson.at(browser, await linkOf(serves))
    await person.beginAt('User name')
    for (const { pid } of remotesOf(serves.server)) process.kill(pid, 'SIGKILL')
    expect(await person.sees('failure')).toContain('you need a new link')
    await person.leave()
    const next = await HostedPerson.at(browser, await linkOf(serves))
    await next.signIn(USER)
    await next.leave()
  }, 60_000)

  test('with the whole service says so when that is back; the link is used, and another one works', async () => {
    const serves = await serving()
    const link = await linkOf(serves)
    const person = await HostedPerson.at(browser, link)
    await person.beginAt('User name')
    await person.enter(USER.name)
    await person.isAt('Password')
    process.kill(serves.server.pid, 'SIGKILL')
    await serves.server.ended
    const port = new URL(serves.address).port
    const back = await serving({ PORT: port }, serves.data)
    expect(await person.sees('failure')).toContain('you need a new link')
    await person.page.goto(link)
    await person.leave()
    expect((await search(back)).status).toBe(428)
    const next = await HostedPerson.at(browser, await linkOf(back))
    await next.signIn(USER)
    await next.leave()
    expect(mentioning(serves.data.path).filter(({ pid }) => pid === serves.server.pid)).toEqual([])
  }, 90_000)
})

test('fifty at once: four are let in, the others hear their position, and get in when those leave', async () => {
  const serves = await serving()
  const operator = client(serves.address, OPERATOR_KEY)
  const sessions = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const { body: account } = await operator<Json>('/admin/accounts', { name: 'x', credits: 1000 })
      const { body } = await client(serves.address, account.api_key)<Json>('/v1/microblog/search', SEARCH)
      const started = await fetch(`${body.hosted_url}/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ width: 400, height: 600, touch: false, scale: 1 }),
      })
      expect(started.status).toBe(200)
      return listener(body.hosted_url, started.headers.get('set-cookie')!.split(';')[0]!)
    }),
  )
  await until(() => sessions.filter(({ isIn }) => isIn()).length === 4)
  await until(() => sessions.filter(({ position }) => position() !== undefined).length === 46)
  const positions = sessions.flatMap(({ position }) => position() ?? []).sort((a, b) => a - b)
  expect(positions).toEqual(Array.from({ length: 46 }, (_, i) => i + 1))
  for (const session of sessions.filter(({ isIn }) => isIn())) await session.end()
  await until(() => sessions.filter(({ isIn }) => isIn()).length === 8)
  await Promise.all(sessions.map((session) => session.end()))
}, 120_000)

/** Follows what a session is told. */
async function listener(link: string, cookie: string) {
  const reply = await fetch(`${link}/stream`, { headers: { cookie } })
  const events: Json[] = []
  void (async () => {
    for await (const { kind, content } of recordsIn(reply.body!))
      if (kind === 0) events.push(JSON.parse(content.toString()))
  })()
  return {
    isIn: () => events.some(({ type }) => type === 'address'),
    position: (): number | undefined =>
      events.some(({ type }) => type === 'address')
        ? undefined
        : events.findLast(({ type }) => type === 'waiting')?.before,
    end: () => fetch(`${link}/end`, { method: 'POST', headers: { cookie } }),
  }
}

test('what was typed is in no log, event, metric, answer or file', async () => {
  const serves = await serving()
  const person = await HostedPerson.at(browser, await linkOf(serves))
  await person.signIn(USER)
  const done = await endOf(serves, (await search(serves)).body.run_id)
  expect(done.run_status).toBe('succeeded')
  await person.leave()
  const lost = await HostedPerson.at(
    browser,
    (await serves.call<Json>('/v1/logins/microblog', {})).body.hosted_url,
  )
  await lost.beginAt('User name')
  await lost.enter(USER.name)
  await lost.isAt('Password')
  await lost.page.keyboard.type(CANARY)
  for (const { pid } of belowOf(serves.server.pid)) process.kill(pid, 'SIGKILL')
  await lost.sees('failure')
  await lost.leave()

  const texts = [
    ...['/v1/events?limit=500', '/v1/logins', '/v1/runs'].map(async (path) => {
      const { status, body } = await serves.call(path)
      expect(status).toBe(200)
      return JSON.stringify(body)
    }),
    fetch(`${serves.address}/metrics`, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } }).then(
      (reply) => reply.text(),
    ),
    Promise.resolve(serves.server.printed.out + serves.server.printed.err),
  ]
  for (const text of await Promise.all(texts)) {
    expect(text.length).toBeGreaterThan(2)
    for (const secret of [CANARY, USER.code]) expect(text).not.toContain(secret)
  }
  serves.server.child.kill('SIGTERM')
  await serves.server.ended
  const files = readdirSync(serves.data.path, { recursive: true, withFileTypes: true }).filter((file) =>
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
}, 120_000)
