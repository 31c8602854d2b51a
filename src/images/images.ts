/**
 * Images of items, fetched for people who look at them. A request goes to the source's own hosts, within its rate
 * limits, and without cookies. Images are kept in memory for a day, for each account by itself, and may be lost.
 *
 * @module
 */
import { timeoutSignal } from '../async/timers.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { addressFault } from '../net/allowed-hosts.ts'
import { network } from '../net/connection/network.ts'
import type { Exit } from '../net/exits/choose.ts'
import { type ExitUse, placeOf } from '../net/exits/uses.ts'
import { HttpClient } from '../net/http-client.ts'
import type { RateLimiter } from '../net/rate-limiter.ts'
import { Origins, withOrigin } from '../net/transport/origins.ts'
import { ExitUnreachable, type Transport } from '../net/transport/transport.ts'
import { bytesInto, countingRequests, noUsage } from '../net/transport/usage.ts'
import { turn } from '../net/turn.ts'
import { SourceError } from '../plugin/errors.ts'
import { BROWSER, type PaceLimits, type Source } from '../plugin.ts'
import { userAgentOf } from '../version.ts'
import { imageType } from './format.ts'

export type Image = { readonly type: string; readonly body: Uint8Array<ArrayBuffer> }

export type ImagesOptions = {
  readonly config: {
    readonly sourceOrigins: ReadonlyMap<string, string>
    readonly contact: string | null
  }
  readonly exits: {
    forRun(source: string): Promise<Exit | null>
    ended(exit: Exit, source: string, outcome: 'unreachable', reason: string): Promise<void>
  }
  /** called with what each image used; default: it is not counted */
  readonly onExitUsed?: (use: ExitUse) => void
  /** that of the runs in this process */
  readonly rateLimiter: RateLimiter
  /** milliseconds since 1970 */
  readonly now: () => number
  /** for tests, instead of the network */
  readonly transport?: Transport
}

/** Of each host of images, unless the source declares another one. */
const IMAGE_PACE: PaceLimits = { perSecond: 10, concurrent: 4 }
const MOST_BYTES = 2 * 1024 * 1024
const CACHE_BYTES = 32 * 1024 * 1024
/** What a cached image takes beside its bytes. */
const ENTRY_BYTES = 500
/** How long an image is kept, and how long it is not asked for again after a failure, in milliseconds. */
const KEPT_MS = 86_400_000
const FAILED_MS = 600_000
/** How long the images of a source share an exit, in milliseconds: many gateways bill sessions, and a page has many images. */
const EXIT_MS = 600_000
/** How long a browser waits for an image, including its turn in the rate limiter, in milliseconds. */
const WAIT_MS = 20_000

type SharedExit = { readonly exit: Promise<Exit | null>; readonly until: number }
type Cached = { readonly image: Image | undefined; readonly until: number }

export class Images {
  private readonly cache = new BoundedCache<string, Cached>(CACHE_BYTES)
  private readonly loading = new Map<string, Promise<Image | undefined>>()
  /** by source */
  private readonly shared = new Map<string, SharedExit>()

  constructor(private readonly options: ImagesOptions) {}

  /** Whether an address is one of the source's images that may be shown: never those of a source with a login. */
  allows(source: Source, url: string): boolean {
    return (
      source.login === undefined &&
      URL.canParse(url) &&
      addressFault(siteOf(source), new URL(url)) === undefined
    )
  }

  /**
   * An image of a source.
   *
   * @param account that asks: accounts take turns
   * @returns undefined for an address that {@link allows} refuses, anything but an image, an image above 2 MiB, and one
   *   that cannot be read now
   */
  async of(source: Source, url: string, account: string): Promise<Image | undefined> {
    if (!this.allows(source, url)) return undefined
    // How fast an answer comes must not tell what other accounts look at.
    const key = `${account} ${source.name} ${url}`
    const known = this.cache.get(key)
    if (known && this.options.now() < known.until) return known.image
    const earlier = this.loading.get(key)
    if (earlier) return earlier
    const loading = this.load(source, url, account, key).finally(() => this.loading.delete(key))
    this.loading.set(key, loading)
    return loading
  }

  private async load(source: Source, url: string, account: string, key: string): Promise<Image | undefined> {
    let image: Image | undefined
    try {
      image = await this.fetch(source, url, account)
    } catch (error) {
      // Its turn did not come in time, or its exit failed: neither says anything about the image.
      if (error instanceof DOMException || error instanceof ExitUnreachable) return undefined
      if (!(error instanceof SourceError)) throw error
    }
    const until = this.options.now() + (image ? KEPT_MS : FAILED_MS)
    this.cache.set(key, { image, until }, ENTRY_BYTES + key.length + (image?.body.length ?? 0))
    return image
  }

  private async fetch(source: Source, url: string, account: string): Promise<Image | undefined> {
    const { config, exits, rateLimiter, now, transport, onExitUsed } = this.options
    const origins = new Origins(config.sourceOrigins.get(source.name))
    const shared = this.sharedExit(source.name)
    const exit = await shared.exit
    const usage = noUsage()
    const send = transport ?? network(origins.isReplaced, exit, bytesInto(usage))
    const signal = timeoutSignal(WAIT_MS)
    const site = siteOf(source)
    const client = new HttpClient({
      source: site,
      userAgent: userAgentOf(config),
      transport: withOrigin(origins, countingRequests(send, usage)),
      signal,
      until: now() + WAIT_MS,
      acquire: (host, stop) =>
        turn(rateLimiter, { source: site, account, longestPauseMs: WAIT_MS }, host, stop),
      now,
    })
    try {
      // As a document it could come in a format that is not shown: Chromium takes more of them than the console.
      const as = source.userAgent === BROWSER ? ({ as: 'fetch' } as const) : {}
      const reply = await client.fetch(url, { ...as, cookies: false, tries: 1, maxBytes: MOST_BYTES })
      const body = new Uint8Array(await reply.bytes())
      const type = imageType(reply.headers.get('content-type'), body)
      return type === undefined ? undefined : { type, body }
    } catch (error) {
      // A host of images that the exit does not lead to says nothing about the hosts that the source's runs need.
      if (exit && error instanceof ExitUnreachable && error.where === 'everywhere') {
        if (this.shared.get(source.name) === shared) this.shared.delete(source.name)
        void exits.ended(exit, source.name, 'unreachable', error.reason)
      }
      throw error
    } finally {
      if (usage.requests > 0)
        onExitUsed?.({ ...placeOf(exit), source: source.name, outcome: 'image', ...usage })
    }
  }

  private sharedExit(source: string): SharedExit {
    const now = this.options.now()
    const known = this.shared.get(source)
    if (known && now < known.until) return known
    const shared = { exit: this.options.exits.forRun(source), until: now + EXIT_MS }
    this.shared.set(source, shared)
    return shared
  }
}

/**
 * The source with the hosts of its images. These have a pace of their own: what people look at must not slow down runs,
 * nor wait for them.
 */
function siteOf(source: Source): Source {
  const { hosts = [], imageHosts = [], pace } = source
  const own = Object.fromEntries(imageHosts.map((host) => [host, IMAGE_PACE]))
  return { ...source, hosts: [...hosts, ...imageHosts], pace: { ...pace, hosts: { ...own, ...pace?.hosts } } }
}
