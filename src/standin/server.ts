/**
 * A web server that stands in for the sites of all families: `/<family>/…` is answered by canned exchanges, behind a
 * sign-in where the family has one. A service runs on it with `SOURCE_<FAMILY>_ORIGIN=http://127.0.0.1:<port>/<family>`.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerOf, type Exchange } from '../plugin/testing/exchanges.ts'
import { choiceOf } from './choice.ts'
import { Gate, type SignInOptions, type Visit } from './sign-in/gate.ts'

/** Exchanges by the name of their source. */
export type Families = ReadonlyMap<string, readonly Exchange[]>

export type StandInOptions = {
  readonly families: Families
  /** by family: how people sign in. What the family has is for members then */
  readonly signIns?: ReadonlyMap<string, SignInOptions>
  /** default any free one */
  readonly port?: number
  /** hears in a line of each request that nothing fits, and of those to a sign-in */
  readonly log?: (line: string) => void
}

export type StandIn = {
  /** what SOURCE_<FAMILY>_ORIGIN is set to; families that it knows nothing of are answered 404 */
  originOf(family: string): string
  /** The sign-in of a family. @throws {TypeError} when it has none */
  gateOf(family: string): Gate
  stop(): Promise<void>
}

type Site = {
  readonly exchanges: readonly Exchange[]
  readonly choose: ReturnType<typeof choiceOf>
  readonly gate: Gate | undefined
  /** for who is not signed in */
  readonly chooseOpen: ReturnType<typeof choiceOf>
}

/** Starts one on 127.0.0.1. @throws {TypeError} for an exchange without an address */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { port = 0, log } = options
  const sites = sitesOf(options)
  const server = createServer((request, response) => {
    answer(request, response, sites, log).catch((error: Error) => {
      // The client went away before it had said all.
      log?.(`${request.method} ${request.url?.split('?')[0]}: ${error.message}`)
      response.destroy()
    })
  })
  await new Promise<void>((go, fail) => server.once('error', fail).listen(port, '127.0.0.1', go))
  const { port: actual } = server.address() as AddressInfo
  return {
    originOf: (family) => `http://127.0.0.1:${actual}/${family}`,
    gateOf(family) {
      const gate = sites.get(family)?.gate
      if (!gate) throw new TypeError(`${family} has no sign-in here`)
      return gate
    },
    async stop() {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}

function sitesOf({ families, signIns = new Map() }: StandInOptions): ReadonlyMap<string, Site> {
  const sites = new Map<string, Site>()
  for (const [family, own] of families) {
    const signIn = signIns.get(family)
    const open = signIn?.open ?? []
    const check = signIn?.check === undefined ? [] : [{ request: signIn.check, body: 'You are signed in.' }]
    // Of equals the first one is taken: members are shown what is for them.
    const exchanges = [...own, ...open, ...check]
    const gate = signIn && new Gate(signIn, `/${family}`)
    sites.set(family, { exchanges, choose: choiceOf(exchanges), gate, chooseOpen: choiceOf(open) })
  }
  return sites
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  sites: ReadonlyMap<string, Site>,
  log: StandInOptions['log'],
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const body = await text(request)
  const [, family = '', path = '/'] = /^\/([^/?]*)(.*)$/s.exec(url) ?? []
  const site = sites.get(family)
  const visit = { method, path: path.startsWith('/') ? path : `/${path}`, headers, body }
  const found = site && foundFor(site, visit)
  // What a query of a sign-in holds is nobody's business.
  if (found instanceof Response) log?.(`${method} ${url.split('?')[0]} ${found.status}`)
  else if (!found) log?.(`nothing fits ${method} ${url}`)
  const answered = found instanceof Response ? found : found ? answerOf(found) : nothing(family, sites)
  const content = Buffer.from(await answered.arrayBuffer())
  response.writeHead(answered.status, [...answered.headers].flat()).end(content)
}

/** What a visitor is shown: an exchange, or an answer of the sign-in, if there is one. */
function foundFor({ gate, choose, chooseOpen }: Site, visit: Visit): Exchange | Response | undefined {
  if (!gate) return choose(visit)
  const own = gate.answer(visit)
  if (own) return own
  return gate.lets(visit) ? choose(visit) : (chooseOpen(visit) ?? gate.refusal(visit))
}

const nothing = (family: string, sites: ReadonlyMap<string, Site>): Response =>
  new Response(whatThereIs(family, sites), {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })

function whatThereIs(family: string, sites: ReadonlyMap<string, Site>): string {
  const site = sites.get(family)
  const [what, list] = site
    ? [`of ${family}`, site.exchanges.map(({ request, sent }) => request + (sent ? ' with its body' : ''))]
    : ['here', [...sites.keys()].map((name) => `/${name}/`)]
  return `Nothing fits this request. What there is ${what}:\n${list.map((line) => `  ${line}\n`).join('')}`
}
