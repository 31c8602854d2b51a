/**
 * Cookies of one run: the subset of RFC 6265 that a reader needs. They are sent back to the hosts and paths that set
 * them. They only ever go to hosts of the run's source, so no list of public suffixes is needed.
 *
 * @module
 */
import { parseSetCookie, type SetCookie } from 'cookie'

/** A cookie in the format of a browser's saved state. */
export type SavedCookie = {
  readonly name: string
  readonly value: string
  /** with a leading dot: the host and its subdomains; without: exactly this host */
  readonly domain: string
  readonly path: string
  readonly secure: boolean
  /** not used by the reader, but by browsers that receive the cookie */
  readonly httpOnly: boolean
  readonly sameSite: 'Strict' | 'Lax' | 'None'
  /** seconds since 1970; -1: a session cookie */
  readonly expires: number
}

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const
const MOST = 300
const LONGEST = 4096

export class CookieJar {
  private readonly cookies = new Map<string, SavedCookie>()
  /** cookies that responses set or deleted */
  private readonly touched = new Map<string, SavedCookie>()

  /** @param saved the cookies of a login */
  constructor(
    private readonly now: () => number,
    saved: readonly SavedCookie[] = [],
  ) {
    for (const cookie of saved) this.cookies.set(keyOf(cookie), cookie)
  }

  /** The value of the `Cookie` header for an address; undefined when no cookie matches. Longer paths come first. */
  header(url: URL): string | undefined {
    const pairs = this.sentTo(url).map(({ name, value }) => `${name}=${value}`)
    return pairs.length > 0 ? pairs.join('; ') : undefined
  }

  /**
   * The value of a cookie for an address. Undefined when there is none, or only empty ones: sites send a token twice,
   * once emptied for another domain.
   */
  valueOf(name: string, url: URL): string | undefined {
    return this.sentTo(url).find((cookie) => cookie.name === name && cookie.value !== '')?.value
  }

  private sentTo(url: URL): SavedCookie[] {
    return [...this.cookies.values()]
      .filter(
        (cookie) =>
          !hasExpired(cookie, this.now()) &&
          isSentTo(url.hostname, cookie) &&
          pathMatches(url.pathname, cookie.path) &&
          (!cookie.secure || url.protocol === 'https:'),
      )
      .sort((a, b) => b.path.length - a.path.length)
  }

  /** Cookies that responses set or deleted, in their current state. A deleted cookie has an expiry in the past. */
  get changed(): SavedCookie[] {
    return [...this.touched.values()]
  }

  /** Stores the cookies that a response sets. Malformed cookies and cookies for other sites are ignored. */
  store(url: URL, headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const cookie = line.length <= LONGEST ? parse(line, url, this.now()) : undefined
      if (!cookie) continue
      const key = keyOf(cookie)
      const isKnown = this.cookies.has(key)
      if (hasExpired(cookie, this.now())) this.cookies.delete(key)
      else if (isKnown || this.cookies.size < MOST) this.cookies.set(key, cookie)
      if (isKnown || this.cookies.has(key)) this.touched.set(key, cookie)
    }
  }
}

/** Whether a cookie has expired. @param now milliseconds since 1970 */
export const hasExpired = ({ expires }: SavedCookie, now: number): boolean =>
  expires >= 0 && expires * 1000 <= now

/** The identity of a cookie, as in browsers: a cookie for one host differs from a cookie for its subdomains too. */
const keyOf = ({ domain, path, name }: SavedCookie): string => `${domain} ${path} ${name}`

function parse(line: string, url: URL, now: number): SavedCookie | undefined {
  const cookie = parseSetCookie(line, { decode: (text) => text })
  const { name, value = '', domain = '', path = '', sameSite = 'lax' } = cookie
  if (name === '') return undefined
  const wanted = domain.replace(/^\./, '').toLowerCase()
  if (
    wanted &&
    !(isSentTo(url.hostname, { domain: `.${wanted}` }) && (wanted.includes('.') || wanted === url.hostname))
  )
    return undefined
  return {
    name,
    value,
    domain: wanted ? `.${wanted}` : url.hostname,
    path: path.startsWith('/') ? path : directory(url.pathname),
    secure: cookie.secure === true,
    httpOnly: cookie.httpOnly === true,
    sameSite: SAME_SITE[sameSite as keyof typeof SAME_SITE],
    expires: expiry(cookie, now),
  }
}

/** Max-Age takes precedence over Expires. Without either the cookie lasts until the end of the run. */
function expiry({ maxAge, expires }: SetCookie, now: number): number {
  if (maxAge !== undefined) return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, now / 1000 + maxAge))
  return expires ? Math.max(0, expires.getTime() / 1000) : -1
}

/** Whether a cookie is sent to a host. */
export const isSentTo = (host: string, { domain }: Pick<SavedCookie, 'domain'>): boolean =>
  domain.startsWith('.') ? host === domain.slice(1) || host.endsWith(domain) : host === domain

const pathMatches = (path: string, cookiePath: string): boolean =>
  path === cookiePath ||
  (path.startsWith(cookiePath) && (cookiePath.endsWith('/') || path[cookiePath.length] === '/'))

function directory(path: string): string {
  const end = path.lastIndexOf('/')
  return end <= 0 ? '/' : path.slice(0, end)
}
