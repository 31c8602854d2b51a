/**
 * Cookies of one run (RFC 6265), as far as a reader needs them: sent back to the hosts and paths that set them. They
 * only ever go to hosts of the run's source, so no list of public suffixes is needed.
 *
 * @module
 */

type Cookie = {
  readonly name: string
  readonly value: string
  readonly domain: string
  /** set without `Domain`: for this very host */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
  /** of no use to a reader, but to the browsers that are told of the cookie */
  readonly httpOnly: boolean
  readonly sameSite: 'Strict' | 'Lax' | 'None'
  /** milliseconds since 1970 */
  readonly expires: number
}

/**
 * A cookie as browsers save it. `domain`: with a dot before it for all hosts below it. `expires`: seconds since 1970,
 * -1 with the session.
 */
export type SavedCookie = Omit<Cookie, 'hostOnly'>

const SAME_SITE: Readonly<Record<string, Cookie['sameSite']>> = { strict: 'Strict', none: 'None' }
const MOST = 300
const LONGEST = 4096

export class CookieJar {
  private readonly cookies = new Map<string, Cookie>()
  /** what answers made of it, the deleted ones too */
  private readonly touched = new Map<string, Cookie>()

  constructor(private readonly now: () => number) {}

  /** The value of the `Cookie` header for an address; undefined when there is none. Longer paths come first. */
  header(url: URL): string | undefined {
    const now = this.now()
    const matching = [...this.cookies.values()].filter(
      (c) =>
        c.expires > now &&
        (c.hostOnly ? url.hostname === c.domain : domainMatches(url.hostname, c.domain)) &&
        pathMatches(url.pathname, c.path) &&
        (!c.secure || url.protocol === 'https:'),
    )
    if (matching.length === 0) return undefined
    return matching
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  /** Cookies that answers set or deleted, as they are now; the end of a deleted one has come. */
  get changed(): SavedCookie[] {
    return [...this.touched.values()].map(({ hostOnly, domain, expires, ...rest }) => ({
      ...rest,
      domain: hostOnly ? domain : `.${domain}`,
      expires: expires === Number.POSITIVE_INFINITY ? -1 : Math.max(0, expires / 1000),
    }))
  }

  /** Takes cookies of a login. */
  add(saved: readonly SavedCookie[]): void {
    for (const { domain, expires, ...rest } of saved) {
      const cookie: Cookie = {
        ...rest,
        domain: domain.replace(/^\./, ''),
        hostOnly: !domain.startsWith('.'),
        expires: expires < 0 ? Number.POSITIVE_INFINITY : expires * 1000,
      }
      this.cookies.set(keyOf(cookie), cookie)
    }
  }

  /** Takes what an answer of an address sets; what is malformed or for another site is left out. */
  store(url: URL, headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const cookie = line.length <= LONGEST ? parse(line, url, this.now()) : undefined
      if (!cookie) continue
      const key = keyOf(cookie)
      const isKnown = this.cookies.has(key)
      if (cookie.expires <= this.now()) this.cookies.delete(key)
      else if (isKnown || this.cookies.size < MOST) this.cookies.set(key, cookie)
      if (isKnown || this.cookies.has(key)) this.touched.set(key, cookie)
    }
  }
}

/** As browsers tell cookies apart: one for a host alone is not the one for all below it. */
const keyOf = ({ domain, hostOnly, path, name }: Cookie): string =>
  `${hostOnly ? '' : '.'}${domain} ${path} ${name}`

function parse(line: string, url: URL, now: number): Cookie | undefined {
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
  if (asked && !(domainMatches(url.hostname, asked) && (asked.includes('.') || asked === url.hostname)))
    return undefined
  const path = attributes.get('path') ?? ''
  return {
    name,
    value: pair.slice(equals + 1).trim(),
    domain: asked || url.hostname,
    hostOnly: asked === '',
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
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return now + Number(maxAge) * 1000
  const expires = Date.parse(attributes.get('expires') ?? '')
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires
}

const domainMatches = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`)

const pathMatches = (path: string, cookiePath: string): boolean =>
  path === cookiePath ||
  (path.startsWith(cookiePath) && (cookiePath.endsWith('/') || path[cookiePath.length] === '/'))

function directory(path: string): string {
  const end = path.lastIndexOf('/')
  return end <= 0 ? '/' : path.slice(0, end)
}
