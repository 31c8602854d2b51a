/**
 * Requests from the prompt: by the HTTP client, at the pace and within the hosts of the source that an address belongs
 * to. Addresses of no source are requested as those of a source of their own.
 *
 * @module
 */

import { clock } from '../../src/async/clock.ts'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import type { Config } from '../../src/config.ts'
import { addressFault } from '../../src/net/allowed-hosts.ts'
import { network } from '../../src/net/connection/network.ts'
import { anyExit } from '../../src/net/exits/exits.ts'
import { HttpClient } from '../../src/net/http-client.ts'
import { paceSettingsOf } from '../../src/net/pace.ts'
import { RateLimiter, type Release } from '../../src/net/rate-limiter.ts'
import { Origins, withOrigin } from '../../src/net/transport/origins.ts'
import { type FetchOptions, type Source, SourceError } from '../../src/plugin.ts'
import { userAgentOf } from '../../src/version.ts'
import { type Answer, receivedAnswer } from './answer.ts'

export type RequestsOptions = {
  readonly config: Config
  readonly catalogue: Pick<Catalogue, 'sources'>
  /** aborts the request under way */
  readonly signal: () => AbortSignal
  /** called with a line before the first request to a source that another origin answers for */
  readonly tell: (line: string) => void
}

/** All statuses but redirects, which are followed: at a prompt a refusal is an answer to look at. */
const ALL_STATUSES = Array.from({ length: 500 }, (_, i) => 100 + i).filter(
  (status) => status < 300 || status >= 400,
)

/** Why the shell requests no host of this machine or its network, and what to do instead. */
const notRequested = ({ host }: URL, fault: string): string =>
  `${host} is not requested: ${fault}. Only public hosts are. To let a site on this machine or in its network answer for a source, set SOURCE_<FAMILY>_ORIGIN to its address, and request the source's own address`

/** Whether a host was refused because its address is not public. */
const isInner = (error: unknown): error is SourceError =>
  error instanceof SourceError && error.message.endsWith('resolves to an address that is not public')

export class Requests {
  private readonly rateLimiter: RateLimiter
  private readonly clients = new Map<string, HttpClient>()
  /** what paths are on, and what relative addresses are relative to */
  private base: string | undefined

  constructor(private readonly options: RequestsOptions) {
    this.rateLimiter = new RateLimiter(undefined, paceSettingsOf(options.config))
  }

  /** Resolves further paths on the origin of a source. */
  startAt(source: Source): void {
    this.base = source.origin
  }

  /**
   * Makes a request. Any status is an answer; redirects are followed within the hosts of the source.
   *
   * @param address a URL; a path once there was a URL or a source
   * @throws {TypeError} for an address that cannot be requested
   * @throws {SourceError} when there is no answer
   */
  async fetch(address: string, options: FetchOptions = {}): Promise<Answer> {
    if (!URL.canParse(address, this.base))
      throw new TypeError(`"${address}" is no URL: begin it with https://`)
    const url = new URL(address, this.base)
    const source = this.sourceOf(url)
    const fault = addressFault(source, url)
    // The user name of a URL is no matter of the host; the client says so.
    if (fault && !url.username && !url.password) throw new TypeError(notRequested(url, fault))
    const reply = await this.clientFor(source)
      .fetch(url.href, { accept: ALL_STATUSES, ...options })
      .catch((error: unknown) => {
        throw isInner(error) ? new TypeError(notRequested(url, error.message)) : error
      })
    this.base = url.origin
    return await receivedAnswer(options.method ?? 'GET', reply)
  }

  private sourceOf(url: URL): Source {
    const own = this.options.catalogue.sources.find((source) => addressFault(source, url) === undefined)
    if (own) return own
    const domain = url.hostname.replace(/^www\./, '')
    return {
      name: `the source ${domain}`,
      title: domain,
      origin: url.origin,
      hosts: [domain, `*.${domain}`],
      pace: { perSecond: 1, concurrent: 1, together: true },
      tasks: [],
    }
  }

  private clientFor(source: Source): HttpClient {
    const known = this.clients.get(source.name)
    if (known) return known
    const { config, signal, tell } = this.options
    const replaced = config.sourceOrigins.get(source.name)
    if (replaced !== undefined) tell(`Requests to ${source.origin} are sent to ${replaced}`)
    const origins = new Origins(replaced)
    const client = new HttpClient({
      source,
      userAgent: userAgentOf(config),
      transport: withOrigin(origins, network(origins.isReplaced, anyExit(config, source.name))),
      get signal() {
        return signal()
      },
      until: Number.POSITIVE_INFINITY,
      acquire: (host, stop) => this.turn(source, host, stop),
      now: clock.now,
    })
    this.clients.set(source.name, client)
    return client
  }

  private async turn(source: Source, host: string, stop: AbortSignal): Promise<Release> {
    const turn = Promise.withResolvers<void>()
    const release = this.rateLimiter.ask(source, host, '', Number.POSITIVE_INFINITY, () => turn.resolve())
    const give = () => turn.reject(stop.reason)
    stop.addEventListener('abort', give, { once: true })
    try {
      await turn.promise
      return release
    } catch (error) {
      release(0)
      throw error
    } finally {
      stop.removeEventListener('abort', give)
    }
  }
}
