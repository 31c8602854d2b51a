/**
 * The requests of one page, over the browser's own protocol (CDP, domain Fetch), which sees every hop: Playwright's
 * routes see the first alone.
 *
 * Where we answer in place of the network, every request of the page is decided on here, and what is not seen here has no way
 * out at all. Where the page goes to the network, only
 * documents and what is not to be loaded are held up: at each hop they must lie on a host of the source, and no page is led
 * to an interstitial. Scripts, styles, data, workers and WebSockets pass unseen; what they may reach is for the context's way out to
 * say (browser-proxy.ts).
 *
 * @module
 */
import { STATUS_CODES } from 'node:http'
import type { CDPSession } from 'rebrowser-playwright'
import { addressFault, Downgrade, isDowngrade } from '../../net/allowed-hosts.ts'
import { limited, readAll } from '../../net/body.ts'
import { SourceError, Unavailable } from '../../plugin/errors.ts'
import type { PageOptions, Source } from '../../plugin.ts'
import type { EventOf } from '../cdp.ts'
import { MOST_BODY_BYTES } from './arrived.ts'
import type { OpenedPage } from './context.ts'

/** Of a source what its pages are held to. */
export type Site = Pick<Source, 'name' | 'origin' | 'hosts' | 'assetHosts' | 'interstitials'>

/**
 * Answers a request in place of the network. Its address is the public one; a redirect's `location` too.
 *
 * @throws whatever keeps it from answering: the page is over then
 */
export type Answer = (request: Request) => Promise<Response>

export type RequestsOptions = Pick<OpenedPage, 'session' | 'frameId' | 'ending'> & {
  readonly site: Site
  readonly load: NonNullable<PageOptions['load']>
  /** without it requests go to the network, as the browser's context lets them */
  readonly answer: Answer | undefined
  /** whether the page itself may move to an address; told by a redirect or not */
  readonly mayMove: (url: URL, isRedirect: boolean) => boolean
  /** its next document can't be had */
  readonly failed: (error: SourceError) => void
}

/** What CDP tells of a request that it holds: one to be made, or one that was answered and whose answer waits. */
type Paused = EventOf<'Fetch.requestPaused'>

const TYPES = { images: 'Image', fonts: 'Font', media: 'Media' } as const
/** A site's icon is fetched as if it were anything, and never wanted. */
const ICON_TYPE = 'Other'
/** What a page tells others and reads no answer of: not worth asking for where we answer ourselves. */
const REPORTS: ReadonlySet<string> = new Set(['Ping', 'CSPViolationReport', 'Manifest', 'Prefetch'])
/** Documents, when they were answered: of a redirect to no web address, or from https, nothing else is told. */
const ANSWERED = { resourceType: 'Document', requestStage: 'Response' } as const
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])
/** Of the answer as it was sent to us: we have it decoded and whole. */
const OF_THE_WAY: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])

export class Requests {
  private readonly blocked: ReadonlySet<string>

  constructor(private readonly options: RequestsOptions) {
    const { load } = options
    this.blocked = new Set(
      Object.entries(TYPES).flatMap(([name, type]) =>
        load.includes(name as keyof typeof TYPES) ? [] : type,
      ),
    )
  }

  /** From here on no document leaves undecided; where we answer, no request does. */
  async start(): Promise<void> {
    const { session, answer } = this.options
    session.on('Fetch.requestPaused', (paused) => void this.decide(paused))
    const types = ['Document', ICON_TYPE, ...this.blocked]
    const patterns = answer
      ? [{ urlPattern: '*' }]
      : [...types.map((resourceType) => ({ resourceType: resourceType as 'Document' })), ANSWERED]
    await session.send('Fetch.enable', { patterns })
  }

  private async decide(paused: Paused): Promise<void> {
    const { requestId, request, responseStatusCode: status, responseHeaders = [] } = paused
    const { answer } = this.options
    try {
      if (status !== undefined) {
        const headers = responseHeaders.map(({ name, value }): [string, string] => [name, value])
        // The page may have what the network answered, but no way off the web.
        checkRedirect(status, new Headers(headers), request.url)
        await this.command('Fetch.continueResponse', { requestId })
      } else if (!this.isAllowed(paused)) await this.fail(paused)
      else if (!answer) await this.command('Fetch.continueRequest', { requestId })
      else if (isPreflight(paused)) await this.fulfil(paused, new Response(null, { status: 204 }))
      else {
        const response = await answer(this.requestOf(paused))
        if (isDocument(paused)) checkRedirect(response.status, response.headers, request.url)
        await this.fulfil(paused, response)
      }
    } catch (error) {
      this.unanswered(paused, error)
      await this.fail(paused)
    }
  }

  /** What can't be had is the page's own affair; that nothing can be said about it is not. */
  private unanswered(paused: Paused, error: unknown): void {
    const { failed, ending } = this.options
    if (ending.signal.aborted) return
    if (!(error instanceof SourceError)) ending.abort(error)
    else if (this.isMain(paused)) failed(error)
  }

  /** A page whose next document is refused stays where it is. */
  private fail(paused: Paused): Promise<void> {
    const errorReason = this.isMain(paused) ? 'Aborted' : 'BlockedByClient'
    return this.command('Fetch.failRequest', { requestId: paused.requestId, errorReason })
  }

  private isAllowed(paused: Paused): boolean {
    const { resourceType, request } = paused
    if (this.blocked.has(resourceType) || isIcon(paused)) return false
    if (this.options.answer && REPORTS.has(resourceType)) return false
    const url = new URL(request.url)
    if (!this.isMain(paused)) return this.isOwn(url)
    return this.options.mayMove(url, paused.redirectedRequestId !== undefined)
  }

  private isMain(paused: Paused): boolean {
    return isDocument(paused) && paused.frameId === this.options.frameId
  }

  private isOwn(url: URL): boolean {
    const { site } = this.options
    const { hosts = [], assetHosts = [] } = site
    return addressFault({ ...site, hosts: [...hosts, ...assetHosts] }, url) === undefined
  }

  private requestOf({ request }: Paused): Request {
    const { url, method, headers, postDataEntries = [] } = request
    const body = Buffer.concat(postDataEntries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64')))
    const hasBody = method !== 'GET' && method !== 'HEAD' && body.length > 0
    return new Request(url, {
      method,
      headers,
      signal: this.options.ending.signal,
      ...(hasBody ? { body } : {}),
    })
  }

  private async fulfil({ requestId, request }: Paused, response: Response): Promise<void> {
    const { status, statusText } = response
    const body = NO_BODY.has(status) ? '' : (await bodyOf(response)).toString('base64')
    await this.command('Fetch.fulfillRequest', {
      requestId,
      responseCode: status,
      responsePhrase: statusText || STATUS_CODES[status] || 'Unknown',
      responseHeaders: headersFor(request, response.headers),
      body,
    })
  }

  /** A request whose frame has gone meanwhile can't be told anything any more, and needs nothing. */
  private async command(...[method, params]: Parameters<CDPSession['send']>): Promise<void> {
    await this.options.session.send(method, params as never).catch(() => {})
  }
}

/** A browser asks whether it may ask: the answer is in the answer itself. */
const isPreflight = ({ request }: Paused): boolean =>
  request.method === 'OPTIONS' && header(request, 'Access-Control-Request-Method') !== undefined

const header = ({ headers }: Paused['request'], name: string): string | undefined =>
  headers[name] ?? headers[name.toLowerCase()]

const isIcon = ({ resourceType, request }: Paused): boolean =>
  resourceType === ICON_TYPE && /^image\//.test(header(request, 'Accept') ?? '')

const isDocument = ({ resourceType }: Paused): boolean => resourceType === 'Document'

/**
 * Chromium says of a redirect of a page to a script, a file or a program at most that something went wrong, and follows
 * one from https to http.
 */
function checkRedirect(status: number, headers: Headers, from: string): void {
  const location = headers.get('location')
  if (status < 300 || status > 399 || location === null) return
  const to = URL.canParse(location, from) ? new URL(location, from) : undefined
  if (!to || !/^https?:$/.test(to.protocol))
    throw new SourceError('source-redirected', 'redirected to something other than an http(s) URL')
  if (isDowngrade(new URL(from), to)) throw new Downgrade()
}

async function bodyOf({ body }: Response): Promise<Buffer> {
  try {
    return Buffer.concat(await readAll(limited(body, MOST_BODY_BYTES, () => {})))
  } catch (error) {
    // The connection's own words are nobody's business, and it is no fault of ours.
    throw error instanceof SourceError ? error : new Unavailable('the connection broke off')
  }
}

/** What another host's page asks for says that it may read it: canned answers and stand-ins leave that out. */
function headersFor(request: Paused['request'], headers: Headers): { name: string; value: string }[] {
  const all = [...headers].filter(([name]) => !OF_THE_WAY.has(name))
  const origin = header(request, 'Origin')
  if (origin !== undefined && !headers.has('access-control-allow-origin'))
    all.push(
      ['access-control-allow-origin', origin],
      ['access-control-allow-credentials', 'true'],
      // What a preflight asks leave for.
      ['access-control-allow-methods', header(request, 'Access-Control-Request-Method') ?? ''],
      ['access-control-allow-headers', header(request, 'Access-Control-Request-Headers') ?? ''],
    )
  return all.map(([name, value]) => ({ name, value }))
}
