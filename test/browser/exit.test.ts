/**
 * A real Chromium goes through the exit of its run: all that a page sends, by http and socks5, without ever learning the
 * exit's address, user or password. A page whose exit fails says so.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type IncomingMessage } from 'node:http'
import { until } from '../../rigs/servers/processes.ts'
import {
  hasMicrosocks,
  hasTinyproxy,
  PROXY_PASSWORD,
  PROXY_USER,
  proxyServers,
} from '../../rigs/servers/proxies.ts'
import { Browsers } from '../../src/browser/host/browsers.ts'
import { BrowserHost } from '../../src/browser/host/host.ts'
import { resultOf } from '../../src/browser/host/page-calls.ts'
import type { Site } from '../../src/browser/page/requests.ts'
import { ExitLate, ExitUnreachable } from '../../src/net/transport/transport.ts'
import { noUsage, type Usage } from '../../src/net/transport/usage.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import type { SignInEvent } from '../../src/signin/browser/types.ts'
import { ownProxy, refusing, tunnelOrForward } from '../net/own-proxy.ts'
import { closeAll } from '../net/servers.ts'
import { LOGIN, SessionEvents, VIEWPORT } from '../signin/browser/person.ts'
import { quiet } from '../worker/quiet.ts'
import { belowOf } from './processes.ts'
import { executable } from './web.ts'

setDefaultTimeout(60_000)

/** Real proxies resolve the name themselves, and pages use no other port. */
const site: Site = { name: 'site', origin: 'http://localhost' }
const BIG = 100_000
const PAGE = `<!doctype html><title>Here</title><script>
  const opened = new Promise((go) => {
    const socket = new WebSocket('ws://localhost/socket')
    socket.onopen = socket.onerror = (event) => go(event.type)
  })
  const read = fetch('/data').then((answer) => answer.text())
</script>`

const requests: IncomingMessage[] = []
const server = createServer((request, response) => {
  requests.push(request)
  if (request.url === '/data') response.end('x'.repeat(BIG))
  else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
})
server.on('upgrade', (request, socket) => {
  requests.push(request)
  socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
})
/** Not every machine lets a test have the port, and another program may use it. */
const hasPort = await new Promise<boolean>((go) => {
  server.once('error', () => go(false))
  server.listen(80, '127.0.0.1', () => go(true))
})

const proxies = proxyServers()
const failures: unknown[] = []
const browsers = new Browsers({
  executable: () => executable,
  origins: {},
  most: 2,
  onFailure: (error) => failures.push(error),
  // What goes past an exit fails.
  dial: () => Promise.reject(new Error('direct')),
})
afterAll(async () => {
  await browsers.stop()
  server.closeAllConnections()
  server.close()
  closeAll()
})
beforeAll(() => {
  requests.length = 0
})

const paths = () => requests.map(({ url }) => url).filter((url) => url !== '/favicon.ico')

describe.skipIf(!hasBrowser || !hasPort)('a page', () => {
  test.each([
    ['tinyproxy', hasTinyproxy],
    ['microsocks', hasMicrosocks],
  ] as const)('loads its document, its data and its WebSocket through %s', async (program, isInstalled) => {
    if (!isInstalled) return void console.warn(`skipped: ${program} is not installed`)
    const proxy = await proxies[program]()
    requests.length = 0
    const usage = noUsage()
    const page = await browsers.open({ site, exit: { url: proxy.url }, usage })
    expect((await page.goto('/')).status).toBe(200)
    expect(await page.evaluate('read.then((text) => text.length)')).toBe(BIG)
    expect(await page.evaluate('opened')).toBe('error')
    expect(paths().toSorted()).toEqual(['/', '/data', '/socket'])
    // The browser and the site know nothing of the exit.
    const seen = JSON.stringify([
      belowOf(process.pid).filter(({ command }) => !command.includes(program)),
      requests.map(({ rawHeaders }) => rawHeaders),
    ])
    for (const secret of [PROXY_USER, PROXY_PASSWORD, `:${proxy.port}`, 'proxy-authorization'])
      expect(seen.toLowerCase()).not.toContain(secret)
    await page.close()
    expect(usage.bytes).toBeGreaterThan(BIG)
    expect(usage.bytes).toBeLessThan(BIG + 20_000)
  })

  test('for a sign-in goes the same way', async () => {
    if (!hasTinyproxy) return void console.warn('skipped: tinyproxy is not installed')
    const proxy = await proxies.tinyproxy()
    requests.length = 0
    const events = new SessionEvents()
    const used = Promise.withResolvers<Usage>()
    const wanted = {
      site,
      login: LOGIN,
      viewport: VIEWPORT,
      exit: { url: proxy.url },
      onEvent: events.onEvent,
      onUsed: used.resolve,
    }
    const signIn = await browsers.signIn(wanted)
    await events.title('Here')
    await until(() => paths().includes('/data'))
    expect(paths()).toContain('/login')
    await signIn.close()
    const { requests: count, bytes } = await used.promise
    expect(count).toBeGreaterThan(0)
    expect(bytes).toBeGreaterThan(PAGE.length)
  })

  test('for a sign-in whose exit fails tells the person what to do, and the service why', async () => {
    const proxy = await ownProxy(1, refusing('407 Proxy Authentication Required'))
    const heard: SignInEvent[] = []
    const secure = { name: 'site', origin: 'https://localhost' }
    const exit = { url: `http://127.0.0.1:${proxy.port}` }
    const { promise: failed, resolve: onExitFailed } = Promise.withResolvers<unknown>()
    const signIn = await browsers.signIn({
      site: secure,
      login: LOGIN,
      viewport: VIEWPORT,
      exit,
      onEvent: (event) => void heard.push(event),
      onExitFailed,
    })
    expect(await failed).toEqual({ where: 'everywhere', reason: '407 to CONNECT' })
    expect(heard).toContainEqual({
      type: 'notice',
      code: 'way-out',
      text: expect.stringContaining('its proxy fails'),
    })
    await signIn.close()
  })

  test('whose socks5 proxy refuses the password fails as its exit', async () => {
    if (!hasMicrosocks) return void console.warn('skipped: microsocks is not installed')
    const proxy = await proxies.microsocks()
    const page = await browsers.open({ site, exit: { url: proxy.wrongUrl } })
    expect(await page.goto('/').catch((error) => error)).toBeInstanceOf(ExitUnreachable)
    await page.closed
  })
})

describe.skipIf(!hasBrowser)('a page whose exit', () => {
  const secure: Site = { ...site, origin: 'https://localhost' }

  test.each([
    ['http', site, '407 Proxy Authentication Required', 'everywhere'],
    ['https', secure, '407 Proxy Authentication Required', 'everywhere'],
    ['https', secure, '502 Bad Gateway', 'here'],
  ])('answers %s (%p) with %s fails as its exit', async (_, to, status, where) => {
    const proxy = await ownProxy(1, refusing(status))
    const page = await browsers.open({ site: to, exit: { url: `http://u:p@127.0.0.1:${proxy.port}` } })
    const error = await page.goto('/').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ExitUnreachable)
    const message = where === 'everywhere' ? "the proxy can't be reached" : "the proxy can't reach the source"
    expect([error.message, error.where]).toEqual([message, where])
    await page.closed
  })

  test('does not answer before the time of the page is up fails as its exit', async () => {
    const proxy = await ownProxy(1, () => {})
    const page = await browsers.open({ site: secure, exit: { url: `http://127.0.0.1:${proxy.port}` } })
    const goto = async () => {
      // On a busy machine the first request may take the browser longer than the time of the page.
      for (;;) {
        const error = await page.goto('/', { timeoutS: 1 }).catch((thrown) => thrown)
        if (error.message !== 'no response within 1 s') return error
      }
    }
    expect(await goto()).toEqual(new ExitUnreachable(new ExitLate('here')))
    // The page was not ended: the plugin may wait for longer.
    expect(await goto()).toEqual(new ExitUnreachable(new ExitLate('here')))
    await page.close()
  })

  test('cannot be reached fails as its exit in the process of the service too', async () => {
    const host = new BrowserHost({ chromiumPath: executable ?? null, origins: {}, most: 1 }, quiet)
    const run = host.pagesFor(secure, { url: 'http://u:p@127.0.0.1:1' })
    expect(resultOf(await run.call(1, { method: 'open', options: {} }))).toBe(null)
    const answer = await run.call(1, { method: 'goto', args: ['/'] })
    expect(() => resultOf(answer)).toThrow("the proxy can't be reached")
    const exit = { where: 'everywhere', reason: 'it refuses connections' }
    expect(answer).toMatchObject({ fault: { exit } })
    expect(JSON.stringify(answer)).not.toMatch(/127\.0\.0\.1|u:p/)
    await run.close()
    await host.stop()
  })

  test('once worked outlives a later failure of the exit', async () => {
    const upstream = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Here</title>'),
    )
    await new Promise<void>((go) => upstream.listen(0, '127.0.0.1', go))
    const { port } = upstream.address() as { port: number }
    const proxy = await ownProxy(port, (socket, head, join) => {
      if (head.startsWith('CONNECT')) refusing('502 Bad Gateway')(socket, head, join)
      else tunnelOrForward(socket, head, join)
    })
    const page = await browsers.open({ site, exit: { url: `http://127.0.0.1:${proxy.port}` } })
    await page.goto('/')
    const socket = `new Promise((go) => {
      const socket = new WebSocket('ws://localhost/')
      socket.onerror = () => go('failed')
    })`
    expect(await page.evaluate(socket)).toBe('failed')
    expect(proxy.heads.some((head) => head.startsWith('CONNECT'))).toBe(true)
    expect(await page.evaluate('document.title')).toBe('Here')
    await page.close()
    upstream.closeAllConnections()
    upstream.close()
  })
})
