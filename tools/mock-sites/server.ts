/**
 * A web server that mocks the sites of all sources: `/<family>/…` is answered from canned exchanges, behind a sign-in
 * where the source has a login. To run a service on it, set `SOURCE_<FAMILY>_ORIGIN=http://127.0.0.1:<port>/<family>`.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerOf, type Exchange } from '../../src/plugin/testing/exchanges.ts'
import { matcherOf } from './matching.ts'
import { isPicture, picture } from './picture.ts'
import type { Renaming } from './renaming.ts'
import { SignIn, type SignInOptions, type SiteRequest } from './sign-in/sign-in.ts'

export type MockSitesOptions = {
  /** exchanges by the name of their source */
  readonly families: ReadonlyMap<string, readonly Exchange[]>
  /** sign-in options by family; the exchanges of these families require signing in */
  readonly signIns?: ReadonlyMap<string, SignInOptions>
  /** by family: the sites answer names that were not recorded */
  readonly renamings?: ReadonlyMap<string, Renaming>
  /** called with one line for each request that no exchange matches, and for each request to a sign-in */
  readonly log?: (line: string) => void
}

export type MockSites = {
  /** the value of SOURCE_<FAMILY>_ORIGIN; unknown families are answered 404 */
  originOf(family: string): string
  /** The sign-in of a family. @throws {TypeError} when it has none */
  signInOf(family: string): SignIn
  stop(): Promise<void>
}

type Site = {
  readonly exchanges: readonly Exchange[]
  readonly choose: ReturnType<typeof matcherOf>
  readonly signIn: SignIn | undefined
  /** for visitors who are not signed in */
  readonly chooseOpen: ReturnType<typeof matcherOf>
  readonly renaming: Renaming | undefined
}

/** Starts the server on a free port of 127.0.0.1. @throws {TypeError} for an exchange without an address */
export async function startMockSites(options: MockSitesOptions): Promise<MockSites> {
  const { log } = options
  const sites = sitesOf(options)
  const server = createServer((request, response) => {
    answer(request, response, sites, log).catch((error: Error) => {
      // The client disconnected before it had sent everything.
      log?.(`${request.method} ${request.url?.split('?')[0]}: ${error.message}`)
      response.destroy()
    })
  })
  await new Promise<void>((go, fail) => server.once('error', fail).listen(0, '127.0.0.1', go))
  const { port } = server.address() as AddressInfo
  return {
    originOf: (family) => `http://127.0.0.1:${port}/${family}`,
    signInOf(family) {
      const signIn = sites.get(family)?.signIn
      if (!signIn) throw new TypeError(`${family} has no sign-in`)
      return signIn
    },
    async stop() {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}

function sitesOf({ families, signIns = new Map(), renamings }: MockSitesOptions): ReadonlyMap<string, Site> {
  const sites = new Map<string, Site>()
  for (const [family, own] of families) {
    const options = signIns.get(family)
    const open = options?.open ?? []
    const check = options?.check === undefined ? [] : [{ request: options.check, body: 'You are signed in.' }]
    // The first of equal matches wins, so members see the members' exchanges.
    const exchanges = [...own, ...open, ...check]
    const signIn = options && new SignIn(options, `/${family}`)
    sites.set(family, {
      exchanges,
      choose: matcherOf(exchanges),
      signIn,
      chooseOpen: matcherOf(open),
      renaming: renamings?.get(family),
    })
  }
  return sites
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  sites: ReadonlyMap<string, Site>,
  log: MockSitesOptions['log'],
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const body = await text(request)
  const [, family = '', path = '/'] = /^\/([^/?]*)(.*)$/s.exec(url) ?? []
  const site = sites.get(family)
  const received = { method, path: path.startsWith('/') ? path : `/${path}`, headers, body }
  const exchange = site && answerFor(site, received)
  // The query of a sign-in may hold credentials.
  if (exchange instanceof Response && site?.signIn) log?.(`${method} ${url.split('?')[0]} ${exchange.status}`)
  if (!exchange) log?.(`no exchange matches ${method} ${url}`)
  const answered =
    exchange instanceof Response ? exchange : exchange ? answerOf(exchange) : notFound(family, sites)
  const content = Buffer.from(await answered.arrayBuffer())
  response.writeHead(answered.status, [...answered.headers].flat()).end(content)
}

/** The pictures of items are drawn: cassettes only have what tasks read. */
const pictureFor = ({ method, path }: SiteRequest): Response | undefined =>
  method === 'GET' && isPicture(path)
    ? new Response(picture(path), { headers: { 'content-type': 'image/png' } })
    : undefined

/** The exchange, the picture or the sign-in's answer for a request, if any. */
function answerFor(site: Site, request: SiteRequest): Exchange | Response | undefined {
  const { signIn } = site
  const isMember = !signIn || signIn.isSignedIn(request)
  return (
    signIn?.answer(request) ??
    exchangeFor(site, isMember, request) ??
    (isMember ? pictureFor(request) : signIn?.refuse(request))
  )
}

/** The exchange for a request, with the name that the request asks for. */
function exchangeFor(site: Site, isMember: boolean, request: SiteRequest): Exchange | undefined {
  const { renaming, signIn } = site
  const choose = isMember ? site.choose : site.chooseOpen
  const renamed = renaming?.of(request)
  if (!renamed) return choose(request)
  if (renamed.own) return renamed.own
  const found = renamed.requests.flatMap((each) => choose({ ...request, ...each }) ?? [])
  // What refused a visitor under one name was recorded for members under another one.
  const open = signIn && isMember ? found.find(({ status = 200 }) => status < 400) : undefined
  const exchange = open ?? found[0]
  return exchange && renamed.answer(exchange)
}

/** A response 404 that lists the available exchanges or families. */
function notFound(family: string, sites: ReadonlyMap<string, Site>): Response {
  const site = sites.get(family)
  const [what, list] = site
    ? [`for ${family}`, site.exchanges.map(({ request, sent }) => request + (sent ? ' with its body' : ''))]
    : ['here', [...sites.keys()].map((name) => `/${name}/`)]
  const lines = list.map((line) => `  ${line}\n`).join('')
  return new Response(`No exchange matches this request. Available ${what}:\n${lines}`, {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
}
