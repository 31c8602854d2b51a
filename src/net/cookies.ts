/**
 * Cookies of one run (RFC 6265), as far as a reader needs them: sent back to the hosts and paths that set them. They
 * only ever go to hosts of the run's source, so no list of public suffixes is needed.
 *
 * @module
 */

/** A cookie as browsers save it. */
export type SavedCookie = {
  readonly name: string
  readonly value: string
  /** with a dot before it for all hosts below it too, without for this very host */
  readonly domain: string
  readonly path: string
  readonly secure: boolean
  /** of no use to a reader, but to the browsers that are told of the cookie */
  readonly httpOnly: boolean
  readonly sameSite: 'Strict' | 'Lax' | 'None'
  /** seconds since 1970; -1: with the session */
  readonly expires: number
}

const SAME_SITE: Readonly<Record<string, SavedCookie['sameSite']>> = { strict: 'Strict', none: 'None' }
const MOST = 300
const LONGEST = 4096

export class CookieJar {
  private readonly cookies = new Map<string, SavedCookie>()
  /** what answers made of it, the deleted ones too */
  private readonly touched = new Map<string, SavedCookie>()

  constructor(private readonly now: () => number) {}

  /** The value of the `Cookie` header for an address; undefined when there is none. Longer paths come first. */
  header(url: URL): string | undefined {
    const pairs = [...this.cookies.values()]
      .filter(
        (cookie) =>
          !hasExpired(cookie, this.now()) &&
          isSentTo(url.hostname, cookie) &&
          pathMatches(url.pathname, cookie.path) &&
          (!cookie.secure || url.protocol === 'https:'),
      )
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
    return pairs.length > 0 ? pairs.join('; ') : undefined
  }

  /** Cookies that answers set or deleted, as they are now; the end of a deleted one has come. */
  get changed(): SavedCookie[] {
    return [...this.touched.values()]
  }

  /** Takes cookies of a login. */
  add(saved: readonly SavedCookie[]): void {
    for (const cookie of saved) this.cookies.set(keyOf(cookie), cookie)
  }

  /** Takes what a response from an address sets; what is malformed or for another site is left out. */
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

/** Whether its end has come. @param now milliseconds since 1970 */
export const hasExpired = ({ expires }: SavedCookie, now: number): boolean =>
  expires >= 0 && expires * 1000 <= now

/** As browsers tell cookies apart: one for a host alone is not the one for all below it. */
const keyOf = ({ domain, path, name }: SavedCookie): string => `${domain} ${path} ${name}`

function parse(line: string, url: URL, now: number): SavedCookie | undefined {
  const [pair = '', ...parts] = line.split(';')
  const equals = pair.indexOf('=')
  const name = pair.slice(0, equals).trim()
  if (equals < 1 || name === '') return undefined
  const attributes = new Map(
    parts.map((part) => {
      const [key = '', ...value] = part.split('=')
      return [key.trim().toLowerCase(), value.join('=').trim()]
    }),
  )
  const asked = attributes.get('domain')?.replace(/^\./, '').toLowerCase() ?? ''
  if (
    asked &&
    !(isSentTo(url.hostname, { domain: `.${asked}` }) && (asked.includes('.') || asked === url.hostname))
  )
    return undefined
  const path = attributes.get('path') ?? ''
  return {
    name,
    value: pair.slice(equals + 1).trim(),
    domain: asked ? `.${asked}` : url.hostname,
    path: path.startsWith('/') ? path : directory(url.pathname),
    secure: attributes.has('secure'),
    httpOnly: attributes.has('httponly'),
    sameSite: SAME_SITE[attributes.get('samesite')?.toLowerCase() ?? ''] ?? 'Lax',
    expires: expiry(attributes, now),
  }
}

/** Max-Age goes before Expires; neither means until the end of the run. */
function expiry(attributes: ReadonlyMap<string, string>, now: number): number {
  const maxAge = attributes.get('max-age')
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge))
    return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, now / 1000 + Number(maxAge)))
  const expires = Date.parse(attributes.get('expires') ?? '')
  return Number.isNaN(expires) ? -1 : Math.max(0, expires / 1000)
}

/** Whether a cookie is one of a host. */
export const isSentTo = (host: string, { domain }: Pick<SavedCookie, 'domain'>): boolean =>
  domain.startsWith('.') ? host === domain.slice(1) || host.endsWith(domain) : host === domain

const pathMatches = (path: string, cookiePath: string): boolean =>
  path === cookiePath ||
  (path.startsWith(cookiePath) && (cookiePath.endsWith('/') || path[cookiePath.length] === '/'))

function directory(path: string): string {
  const end = path.lastIndexOf('/')
  return end <= 0 ? '/' : path.slice(0, end)
}
