/**
 * A web server that stands in for the sites of all families: `/<family>/…` is answered by canned exchanges. A service
 * runs on it with `SOURCE_<FAMILY>_ORIGIN=http://127.0.0.1:<port>/<family>`.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerOf, type Exchange } from '../plugin/testing/exchanges.ts'
import { choiceOf } from './choice.ts'

/** Exchanges by the name of their source. */
export type Families = ReadonlyMap<string, readonly Exchange[]>

export type StandInOptions = {
  readonly families: Families
  /** default any free one */
  readonly port?: number
  /** hears of each request that nothing fits, in a line */
  readonly log?: (line: string) => void
}

export type StandIn = {
  /** what SOURCE_<FAMILY>_ORIGIN is set to; families that it knows nothing of are answered 404 */
  originOf(family: string): string
  stop(): Promise<void>
}

type Site = { readonly exchanges: readonly Exchange[]; readonly choose: ReturnType<typeof choiceOf> }

/** Starts one on 127.0.0.1. @throws {TypeError} for an exchange without an address */
export async function startStandIn({ families, port = 0, log }: StandInOptions): Promise<StandIn> {
  const sites = new Map<string, Site>()
  for (const [family, exchanges] of families) sites.set(family, { exchanges, choose: choiceOf(exchanges) })
  const server = createServer((request, response) => {
    answer(request, response, sites, log).catch((error: Error) => {
      // The client went away before it had said all.
      log?.(`${request.method} ${request.url}: ${error.message}`)
      response.destroy()
    })
  })
  await new Promise<void>((go, fail) => server.once('error', fail).listen(port, '127.0.0.1', go))
  const { port: actual } = server.address() as AddressInfo
  return {
    originOf: (family) => `http://127.0.0.1:${actual}/${family}`,
    async stop() {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  sites: ReadonlyMap<string, Site>,
  log: StandInOptions['log'],
): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const body = await text(request)
  const [, family = '', path = '/'] = /^\/([^/?]*)(.*)$/s.exec(url) ?? []
  const site = sites.get(family)
  const asked = { method, path: path.startsWith('/') ? path : `/${path}`, body }
  const found = site?.choose(asked)
  if (!found) {
    log?.(`nothing fits ${method} ${url}`)
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end(whatThereIs(family, sites))
    return
  }
  const canned = answerOf(found)
  const content = Buffer.from(await canned.arrayBuffer())
  response.writeHead(canned.status, [...canned.headers].flat()).end(content)
}

function whatThereIs(family: string, sites: ReadonlyMap<string, Site>): string {
  const site = sites.get(family)
  const [what, list] = site
    ? [`of ${family}`, site.exchanges.map(({ request, sent }) => request + (sent ? ' with its body' : ''))]
    : ['here', [...sites.keys()].map((name) => `/${name}/`)]
  return `Nothing fits this request. What there is ${what}:\n${list.map((line) => `  ${line}\n`).join('')}`
}
