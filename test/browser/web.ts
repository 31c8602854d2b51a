/**
 * A small web for tests: one server that answers for all hosts, and a Chromium that visits it.
 *
 * @module
 */
import { afterAll, beforeAll, setDefaultTimeout } from 'bun:test'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { findChromium } from '../../src/browser/chromium/find.ts'
import { Browsers, type BrowsersOptions, type PageFor } from '../../src/browser/host/browsers.ts'
import type { Driver } from '../../src/browser/page/page.ts'
import type { Site } from '../../src/browser/page/requests.ts'

// A browser is slow on a busy machine.
setDefaultTimeout(60_000)

export const executable = findChromium(process.env.CHROMIUM_PATH || null)

/** Unencrypted, so that the test's server can serve it. */
export const site: Site = {
  name: 'site',
  origin: 'http://www.site.example',
  hosts: ['other.site.example'],
  assetHosts: ['*.cdn.example'],
  interstitials: [
    { url: /\/login/, ends: 'source-login-required' },
    { url: /\/\/consent\./, ends: 'source-blocked' },
  ],
}

/** Responses by `host/path`: HTML, or a function that writes the response. */
export type Pages = Readonly<
  Record<string, string | ((response: ServerResponse, request: IncomingMessage) => void)>
>

/** The web of a test file. `asked` lists all requests as `host/path`. */
export type Web = {
  readonly port: number
  readonly requests: string[]
  pages: Pages
}

/**
 * Starts the server of a test file before its tests, and the browser with the first page; both end after the tests.
 * Call it at the top of the file.
 */
export function startWeb(options: Partial<BrowsersOptions> = {}) {
  const web: Web & { port: number } = { port: 0, requests: [], pages: {} }
  const server = createServer((request, response) => {
    const name = `${request.headers.host}${request.url?.split('?')[0]}`
    // Browsers request it at any time.
    if (!name.endsWith('/favicon.ico')) web.requests.push(name)
    const page = web.pages[name] ?? web.pages[`*${request.url?.split('?')[0]}`]
    if (typeof page === 'function') return page(response, request)
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page ?? '')
  })
  server.on('upgrade', (request, socket: Duplex) => {
    web.requests.push(`${request.headers.host}${request.url}`)
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  const failures: unknown[] = []
  let shared: Driver | undefined
  const browsers = new Browsers({
    executable: () => executable,
    origins: {},
    most: 4,
    onFailure: (error) => failures.push(error),
    // Every host name leads to the test's server.
    dial: async () => connect(web.port, '127.0.0.1'),
    ...options,
  })
  beforeAll(async () => {
    await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
    web.port = (server.address() as AddressInfo).port
  })
  afterAll(async () => {
    await browsers.stop()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return {
    web,
    browsers,
    failures,
    /**
     * Runs `work` on a page that the tests share, on a web of these pages. `work` must not end the page, and must leave
     * no state in it. A new page costs five times as much as another document.
     */
    async onShared<T>(pages: Pages, work: (page: Driver) => Promise<T>): Promise<T> {
      shared ??= await browsers.open({ site })
      web.pages = pages
      web.requests.length = 0
      return await work(shared)
    },
    /** Opens a page on a web of these pages, and closes it when `work` is done. */
    async on<T>(pages: Pages, work: (page: Driver) => Promise<T>, wanted: Partial<PageFor> = {}): Promise<T> {
      web.pages = pages
      web.requests.length = 0
      const page = await browsers.open({ site, ...wanted })
      try {
        return await work(page)
      } finally {
        await page.close()
      }
    },
  }
}

/** The code of the error that `work` throws, or its message if it has no code. */
export const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (value) => `no failure: ${JSON.stringify(value)}`,
    (error) => error.code ?? `${error.name}: ${error.message}`,
  )
