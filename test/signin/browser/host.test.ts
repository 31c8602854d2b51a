/**
 * Sign-ins in the browser host: they do not compete with the pages of runs, each ends with a code when the browser or
 * the host ends, and typed text is never logged.
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { until } from '../../../rigs/servers/processes.ts'
import { BrowserHost } from '../../../src/browser/host/host.ts'
import type { HostSettings } from '../../../src/browser/host/protocol.ts'
import { hasBrowser } from '../../../src/plugin/testing.ts'
import type { SignInError } from '../../../src/signin/browser/errors.ts'
import type { SignInHandle } from '../../../src/signin/browser/types.ts'
import { belowOf, renderersOf } from '../../browser/processes.ts'
import { Person, SessionEvents, VIEWPORT } from './person.ts'

setDefaultTimeout(60_000)
const CANARY = 'canary-7b1d'
const FORM = `<title>sign in</title><form method=post action=/in><label>Name <input name=a autofocus></label>
  <label>Secret <input name=b type=password></label><button>go</button></form>`
const posted: string[] = []
const server = createServer((request, response) => {
  const path = request.url?.split('?')[0]
  if (path === '/web/in') {
    request.on('data', (chunk) => posted.push(String(chunk)))
    request.on('end', () =>
      response.writeHead(302, { location: `/web/home?${CANARY}`, 'set-cookie': `session=${CANARY}` }).end(),
    )
    return
  }
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end(path === '/web/login' ? FORM : '<title>home</title>')
})
const site = { name: 'site', origin: 'https://www.site.example' }
/** As sources declare it: with a function, which can't be sent to another process. */
const login = {
  url: '/login',
  signedIn: { cookies: ['session'], url: /\/home/ },
  check: { url: '/me', names: () => true },
}

/** Everything that the host logged. */
const logged: string[] = []
const log = (...said: unknown[]) =>
  void logged.push(
    said.map((each) => JSON.stringify(each) + (each instanceof Error ? each.stack : '')).join(' '),
  )
const logger = { trace: log, debug: log, info: log, warn: log, error: log, fatal: log } as never
const hosts: BrowserHost[] = []
const handles: SignInHandle[] = []
let host: BrowserHost

function newHost(settings: Partial<HostSettings> = {}): BrowserHost {
  const origins = { site: `http://127.0.0.1:${(server.address() as AddressInfo).port}/web` }
  const chromiumPath = process.env.CHROMIUM_PATH || null
  const browserHost = new BrowserHost({ chromiumPath, origins, most: 1, ...settings }, logger)
  hosts.push(browserHost)
  return browserHost
}
async function begin(on = host) {
  const events = new SessionEvents()
  const handle = await on.signIn({ site, login, viewport: VIEWPORT, exit: null, onEvent: events.onEvent })
  handles.push(handle)
  return { handle, events, person: new Person(handle) }
}
const code = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no failure',
    (error) => error.code ?? String(error),
  )

/** The code with which the frames end. A page that does not change leaves the last call waiting. */
const waitedFor = (handle: SignInHandle): Promise<string> =>
  code(
    (async () => {
      for (;;) await handle.frame()
    })(),
  )

function killBelow(victim: RegExp): void {
  const processes = belowOf(process.pid).filter(({ command }) => victim.test(command))
  expect(processes.length).toBeGreaterThan(0)
  for (const { pid } of processes) process.kill(pid, 'SIGKILL')
}

beforeAll(async () => {
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  host = newHost()
})
afterEach(async () => {
  for (const handle of handles.splice(0)) {
    handle.close()
    await handle.outcome.catch(() => {})
  }
})
afterAll(async () => {
  for (const each of hosts) await each.stop()
  server.closeAllConnections()
  server.close()
})

describe.skipIf(!hasBrowser)('a sign-in in the host', () => {
  test('shows the page, takes input, returns the state to its opener, and logs no typed text', async () => {
    const { handle, events, person } = await begin()
    const { jpeg, width, height } = await handle.frame({ fresh: true })
    expect([...jpeg.slice(0, 2), width, height]).toEqual([0xff, 0xd8, 800, 600])
    await events.label('Name')
    person.type(CANARY)
    person.key('Tab')
    person.text(`${CANARY}2`)
    expect(await code(handle.send({ type: 'key', key: CANARY }))).toBe('bad-input')
    person.key('Enter')
    const { state, validUntil } = await handle.outcome
    expect([posted.splice(0), validUntil]).toEqual([[`a=${CANARY}&b=${CANARY}2`], null])
    expect(JSON.parse(state).cookies).toMatchObject([{ name: 'session', value: CANARY, secure: false }])
    // The address is the real one. No other event contains typed text.
    const rest = events.events.filter(({ type }) => type !== 'address')
    expect(JSON.stringify(rest)).not.toContain('canary')
    expect(events.last('address')?.url).toBe(`https://www.site.example/home?${CANARY}`)
    expect(logged.join('\n')).not.toContain('canary')
    expect(await code(handle.send({ type: 'back' }))).toBe('closed')
    expect(await code(handle.frame())).toBe('closed')
  })

  test('reports what its page sent and received, once it is closed', async () => {
    const events = new SessionEvents()
    const used = Promise.withResolvers<unknown>()
    const exchange = { site, login, viewport: VIEWPORT, exit: null }
    const handle = await host.signIn({ ...exchange, onEvent: events.onEvent, onUsed: used.resolve })
    await events.label('Name')
    handle.close()
    expect(await used.promise).toEqual({ requests: expect.any(Number), bytes: expect.any(Number) })
    expect(Object.values((await used.promise) as object).every((count) => count > 0)).toBe(true)
  })

  test('does not wait for pages of runs, and pages of runs do not wait for it', async () => {
    const pages = host.pagesFor(site, null)
    const opened = () => pages.call(1, { method: 'open', options: {} })
    expect(await opened()).toEqual({ value: null })
    const two = await Promise.all([begin(), begin()])
    await pages.call(1, { method: 'close' })
    expect(await opened()).toEqual({ value: null })
    pages.close()
    two[0].handle.close()
    expect(await code(two[0].handle.outcome)).toBe('closed')
    await two[1].handle.frame()
  })

  test.each([
    ['killed browser', 'browser-ended', (_: SignInHandle) => killBelow(/--remote-debugging-pipe/)],
    ['killed host', 'browser-ended', (_: SignInHandle) => killBelow(/browser\/host\/main\.ts/)],
    ['crashed page', 'page-crashed', (_: SignInHandle) => killBelow(/ --type=renderer /)],
    ['call of close()', 'closed', (handle: SignInHandle) => handle.close()],
  ])(
    'ends with its code after a %s, leaves no page, and exposes no typed text even with bad input and a flood',
    async (_, end, bring) => {
      const { handle, events, person } = await begin()
      await events.label('Name')
      person.text(CANARY)
      person.key('Tab')
      await events.label('Secret')
      await handle.frame({ fresh: true })
      expect(renderersOf(process.pid).length).toBeGreaterThan(0)
      const errors: unknown[] = []
      const keep = (error: unknown) => void errors.push(error)
      await handle.send({ type: 'text', text: `${CANARY}\ud800` }).catch(keep)
      await handle.send({ type: CANARY, [CANARY]: CANARY }).catch(keep)
      const flood = Array.from({ length: 800 }, () => handle.send({ type: 'text', text: CANARY }).catch(keep))
      bring(handle)
      expect(await code(handle.outcome)).toBe(end)
      await handle.outcome.catch(keep)
      await until(() => renderersOf(process.pid).length === 0)
      await Promise.all(flood)
      await handle.send({ type: 'text', text: CANARY }).catch(keep)
      await handle.frame().catch(keep)
      const codes: string[] = errors.map((error) => (error as SignInError).code)
      expect(codes).toContain(end)
      expect(codes).toContain('bad-input')
      expect(inspect([errors, events.events], { depth: 9, showHidden: true })).not.toContain('canary')
      expect(logged.join('\n')).not.toContain('canary')
    },
  )

  test('whose browser is killed ends a pending wait for a frame', async () => {
    const { handle } = await begin()
    await handle.frame()
    const waiting = waitedFor(handle)
    killBelow(/--remote-debugging-pipe/)
    expect(await waiting).toBe('browser-ended')
  })

  test('fails with no-browser if there is no browser, and with browser-ended when the host stops', async () => {
    expect(await code(begin(newHost({ chromiumPath: '/bin/false' })))).toBe('no-browser')
    const { handle } = await begin()
    await handle.frame()
    const waiting = waitedFor(handle)
    await host.stop()
    expect(await code(handle.outcome)).toBe('browser-ended')
    expect(await waiting).toBe('browser-ended')
    expect(await code(begin())).toBe('browser-ended')
  })
})
