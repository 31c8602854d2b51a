/**
 * A small web on this machine for tests: one server that stands for all hosts, and a Chromium to look at it.
 *
 * @module
 */
import { afterAll, beforeAll, setDefaultTimeout } from 'bun:test'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { Browsers, type BrowsersOptions, type PageFor } from '../../src/browser/browsers.ts'
import { findChromium } from '../../src/browser/chromium/find.ts'
import type { Driver } from '../../src/browser/page/page.ts'
import type { Site } from '../../src/browser/page/requests.ts'

// A browser takes its time on a machine that has other things to do.
setDefaultTimeout(60_000)

export const executable = findChromium(process.env.CHROMIUM_PATH || null)

/** Without encryption, so that a server of the test can be it. */
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

/** What is served at `host/path`: HTML, or whatever a function does. */
export type Pages = Readonly<
  Record<string, string | ((response: ServerResponse, request: IncomingMessage) => void)>
>

/** Everything that was asked for, as `host/path`. */
export type Web = {
  readonly port: number
  readonly asked: string[]
  pages: Pages
}

/** Starts the server of a test file, and its browser with the first page; both end with it. Call it at the top of the file. */
export function startWeb(options: Partial<BrowsersOptions> = {}) {
  const web: Web & { port: number } = { port: 0, asked: [], pages: {} }
  const server = createServer((request, response) => {
    const name = `${request.headers.host}${request.url?.split('?')[0]}`
    // Browsers ask for it when they like.
    if (!name.endsWith('/favicon.ico')) web.asked.push(name)
    const page = web.pages[name] ?? web.pages[`*${request.url?.split('?')[0]}`]
    if (typeof page === 'function') return page(response, request)
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page ?? '')
  })
  server.on('upgrade', (request, socket: Duplex) => {
    web.asked.push(`${request.headers.host}${request.url}`)
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  const failures: unknown[] = []
  let shared: Driver | undefined
  const browsers = new Browsers({
    executable: () => executable,
    origins: {},
    proxyUrl: null,
    most: 4,
    onFailure: (error) => failures.push(error),
    // Every name leads to the server, as if it was out there.
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
     * Gives `work` a page that tests share, on a web of these pages: for what neither ends it nor leaves anything in it.
     * A page of its own takes five times the work of a further document.
     */
    async onShared<T>(pages: Pages, work: (page: Driver) => Promise<T>): Promise<T> {
      shared ??= await browsers.open({ site })
      web.pages = pages
      web.asked.length = 0
      return await work(shared)
    },
    /** Opens a page on a web of these pages, and closes it when `work` is done. */
    async on<T>(pages: Pages, work: (page: Driver) => Promise<T>, wanted: Partial<PageFor> = {}): Promise<T> {
      web.pages = pages
      web.asked.length = 0
      const page = await browsers.open({ site, ...wanted })
      try {
        return await work(page)
      } finally {
        await page.close()
      }
    },
  }
}

/** Its code, or its message where it has none. */
export const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (value) => `no failure: ${JSON.stringify(value)}`,
    (error) => error.code ?? `${error.name}: ${error.message}`,
  )
