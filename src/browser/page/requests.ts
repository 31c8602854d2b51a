/**
 * The requests of one page, intercepted over CDP (domain Fetch), which sees every hop. Playwright's routes see only the
 * first hop.
 *
 * With an `answer`, every request of the page is decided here, and requests that are not intercepted can't reach any
 * network. Without it the page uses the network, and only documents and blocked resource types are intercepted: at each
 * hop a document must be on a host of the source, and the page must not reach an interstitial. Scripts, styles, data,
 * workers and WebSockets are not intercepted; the context's proxy limits their hosts (browser-proxy.ts).
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
import type { OpenedPage, Responder } from './context.ts'

/** The parts of a source that restrict its pages. */
export type Site = Pick<Source, 'name' | 'origin' | 'hosts' | 'assetHosts' | 'interstitials'>

export type RequestsOptions = Pick<OpenedPage, 'session' | 'frameId' | 'ending'> & {
  readonly site: Site
  readonly load?: PageOptions['load'] | undefined
  /** when undefined, requests go to the network as far as the browser's context allows */
  readonly answer?: Responder | undefined
  readonly navigation: {
    /** whether the page itself may navigate to an address, by a redirect or otherwise */
    mayMove(url: URL, isRedirect: boolean): boolean
    /** called when the page's next document can't be loaded */
    refuse(error: SourceError): void
  }
}

/** A paused request in CDP, either before it is sent or with its response held back. */
type Paused = EventOf<'Fetch.requestPaused'>

const TYPES = { images: 'Image', fonts: 'Font', media: 'Media' } as const
/** The type under which site icons are fetched. Icons are never wanted. */
const ICON_TYPE = 'Other'
/** Requests whose responses the page does not need. They are blocked where `answer` replaces the network. */
const REPORTS: ReadonlySet<string> = new Set(['Ping', 'CSPViolationReport', 'Manifest', 'Prefetch'])
/** Responses of documents. Nothing else reports a redirect off the web, or from https to http. */
const ANSWERED = { resourceType: 'Document', requestStage: 'Response' } as const
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])
/** Headers about the transfer of the response, dropped because the body is already complete and decoded. */
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
    const { load = [] } = options
    this.blocked = new Set(
      Object.entries(TYPES).flatMap(([name, type]) =>
        load.includes(name as keyof typeof TYPES) ? [] : type,
      ),
    )
  }

  /** Starts intercepting: no document is sent unchecked from now on; with an `answer`, no request is. */
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
        // The page may receive the network's response unless it redirects off the web.
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

  /** Handles a failed request: a SourceError fails only the request or document, any other error ends the page. */
  private unanswered(paused: Paused, error: unknown): void {
    const { navigation, ending } = this.options
    if (ending.signal.aborted) return
    if (!(error instanceof SourceError)) ending.abort(error)
    else if (this.isMain(paused)) navigation.refuse(error)
  }

  /** Fails a request. With `Aborted` the page keeps its current document. */
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
    return this.options.navigation.mayMove(url, paused.redirectedRequestId !== undefined)
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

  /** Sends a command. Errors are ignored: the request's frame is gone, and needs no answer. */
  private async command(...[method, params]: Parameters<CDPSession['send']>): Promise<void> {
    await this.options.session.send(method, params as never).catch(() => {})
  }
}

/** A CORS preflight. {@link headersFor} adds the CORS headers that allow the request. */
const isPreflight = ({ request }: Paused): boolean =>
  request.method === 'OPTIONS' && header(request, 'Access-Control-Request-Method') !== undefined

const header = ({ headers }: Paused['request'], name: string): string | undefined =>
  headers[name] ?? headers[name.toLowerCase()]

const isIcon = ({ resourceType, request }: Paused): boolean =>
  resourceType === ICON_TYPE && /^image\//.test(header(request, 'Accept') ?? '')

const isDocument = ({ resourceType }: Paused): boolean => resourceType === 'Document'

/**
 * Rejects redirects off the web and from https to http. For a redirect to a script, a file or a program Chromium
 * reports at most a generic error, and it follows redirects from https to http.
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
    // The connection's own message is dropped. The failure counts as the source's.
    throw error instanceof SourceError ? error : new Unavailable('the connection was interrupted')
  }
}

/** The response's headers, with CORS headers for cross-origin requests: recorded responses and mock sites lack them. */
function headersFor(request: Paused['request'], headers: Headers): { name: string; value: string }[] {
  const all = [...headers].filter(([name]) => !OF_THE_WAY.has(name))
  const origin = header(request, 'Origin')
  if (origin !== undefined && !headers.has('access-control-allow-origin'))
    all.push(
      ['access-control-allow-origin', origin],
      ['access-control-allow-credentials', 'true'],
      // Grants the method and headers that a preflight asks for.
      ['access-control-allow-methods', header(request, 'Access-Control-Request-Method') ?? ''],
      ['access-control-allow-headers', header(request, 'Access-Control-Request-Headers') ?? ''],
    )
  return all.map(([name, value]) => ({ name, value }))
}
