/**
 * A mock source on loopback with lists, redirects, cookies, and temporary and permanent failures.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { type Site, startSite } from '../../servers/site.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, before: number) => void

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const LIST = '<ul><li><a href="/1">Otter &amp; Söhne</a><li><a href="/2">\u{1f9a6}</a></ul>'
/** Larger than the limit of a response. */
const LARGE = Buffer.alloc(17 * 1024 * 1024, 'x')

const PAGES: Readonly<Record<string, Answer>> = {
  '/list': (_, response) => response.writeHead(200, HTML).end(LIST),
  '/empty': (_, response) => response.writeHead(200, HTML).end('<p>nothing</p>'),
  '/gzip': (_, response) =>
    response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end(gzipSync(LIST)),
  '/latin1': (_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' })
      .end(Buffer.from('<li><a>\xe4\xf6\xfc</a>', 'latin1')),
  '/moved': (_, response) => response.writeHead(302, { location: '/seen', 'set-cookie': 'seen=1' }).end(),
  '/seen': (request, response) =>
    response
      .writeHead(200, HTML)
      // The runtime at the end of the User-Agent is the only part that may differ.
      .end(`<li><a>${request.headers.cookie}</a><li><a>${agentOf(request)}</a>`),
  '/abroad': (_, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
  '/twice': (_, response, before) =>
    before === 0 ? response.writeHead(503).end() : response.writeHead(200, HTML).end(LIST),
  '/drops': (_, response, before) =>
    before === 0 ? response.destroy() : response.writeHead(200, HTML).end(LIST),
  '/cut': (_, response) => {
    response.writeHead(200, { ...HTML, 'content-length': '1000' }).write('<li>')
    setImmediate(() => response.destroy())
  },
  '/gone': (_, response) => response.writeHead(404).end(),
  '/forbidden': (_, response) => response.writeHead(403).end(),
  '/large': (_, response) => response.writeHead(200, HTML).end(LARGE),
}

/** Starts a site. It counts visits separately for each first path segment. */
export function startTrialSite(): Promise<Site> {
  const visits = new Map<string, number>()
  return startSite((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const before = visits.get(pathname) ?? 0
    visits.set(pathname, before + 1)
    const page = PAGES[pathname.replace(/^\/[^/]+/, '')]
    if (page) page(request, response, before)
    else response.writeHead(500).end()
  })
}

const agentOf = ({ headers }: IncomingMessage): string =>
  (headers['user-agent'] ?? '').replace(/ (?:Bun|Deno)\/[\d.]+$/, ' the runtime')
