/**
 * The headers that Chromium sends, for sources that are read as by a browser. All of them were measured with one
 * version, on Linux with `--lang=en-US`. To name a newer version, change `CHROMIUM`, and then here and in
 * test/net/browser-headers/measured.ts what chromium.test.ts there reports on a machine with that Chromium. On a machine
 * with another version, its comparison is skipped.
 *
 * @module
 */

/** The major version of Chromium whose headers these are, and the day on which they were measured. */
export const CHROMIUM = { version: 156, measured: '2026-11-29' } as const

/**
 * The `User-Agent` of a desktop browser, for `userAgent` of a source.
 *
 * @example
 * const source = defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', userAgent: BROWSER, tasks: [] })
 * source.userAgent?.startsWith('Mozilla/5.0') // => true
 */
export const BROWSER = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${CHROMIUM.version}.0.0.0 Safari/537.36`

/**
 * What a browser would request: a document that a person opens, or data that a script of the site fetches.
 *
 * @example
 * const as: RequestedAs = 'document'
 * as // => 'document'
 */
export type RequestedAs = 'document' | 'fetch'

/** Client hints, and the language; the transport adds its encodings, which are Chromium's. The brand's name, its version and its place change with each version of Chromium. */
const ALWAYS = {
  'sec-ch-ua': `"Not:A-Brand";v="8", "Chromium";v="${CHROMIUM.version}"`,
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
  'user-agent': BROWSER,
  'accept-language': 'en-US,en;q=0.9',
}

const VALUES: Readonly<Record<RequestedAs, Readonly<Record<string, string>>>> = {
  document: {
    ...ALWAYS,
    accept:
      'text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
    'sec-fetch-dest': 'document',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-user': '?1',
    'upgrade-insecure-requests': '1',
  },
  fetch: { ...ALWAYS, accept: '*/*', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' },
}

/** Where the headers that a script adds itself have their place; `content-type` was measured there. */
const OTHERS = '*'

/** The order and the case on the wire, over HTTP/1.1. */
const ORDERS: Readonly<Record<RequestedAs, readonly string[]>> = {
  document: [
    'Host',
    'Connection',
    'sec-ch-ua',
    'sec-ch-ua-mobile',
    'sec-ch-ua-platform',
    OTHERS,
    'Upgrade-Insecure-Requests',
    'User-Agent',
    'Accept',
    'Sec-Fetch-Site',
    'Sec-Fetch-Mode',
    'Sec-Fetch-User',
    'Sec-Fetch-Dest',
    'Referer',
    'Accept-Encoding',
    'Accept-Language',
    'Cookie',
  ],
  fetch: [
    'Host',
    'Connection',
    'Content-Length',
    'sec-ch-ua-platform',
    'User-Agent',
    'sec-ch-ua',
    OTHERS,
    'sec-ch-ua-mobile',
    'Accept',
    'Origin',
    'Sec-Fetch-Site',
    'Sec-Fetch-Mode',
    'Sec-Fetch-Dest',
    'Referer',
    'Accept-Encoding',
    'Accept-Language',
    'Cookie',
  ],
}

/** What a request is, besides its own headers. */
export type RequestOfBrowser = {
  readonly as: RequestedAs
  readonly url: URL
  readonly method: string
  /** the origin of the site, whose front page fetches data unless `referer` names another page */
  readonly origin: string
}

/**
 * Completes the headers of a request to those of a browser. The request's own values win, except that a `referer` on
 * another origin is cut to that origin, as browsers do.
 *
 * @param own headers of the request. `referer`: the page with the link, or with the script. A document without it is
 *   one whose address was typed
 */
export function browserHeaders(own: Headers, { as, url, method, origin }: RequestOfBrowser): Headers {
  const all = new Headers(VALUES[as])
  for (const [name, value] of own) all.set(name, value)
  const referer = own.get('referer') ?? (as === 'fetch' ? `${origin}/` : null)
  const page = referer !== null && URL.canParse(referer) ? new URL(referer) : null
  const site = page ? siteOf(page, url) : 'none'
  if (page) all.set('referer', refererFor(page, site))
  if (!own.has('sec-fetch-site')) all.set('sec-fetch-site', site)
  const hasOrigin = as === 'fetch' && (method === 'POST' || site !== 'same-origin')
  if (hasOrigin && page && !own.has('origin')) all.set('origin', page.origin)
  return all
}

type Site = 'none' | 'same-origin' | 'same-site' | 'cross-site'
/** From near to far. A redirect never brings a request nearer. */
const SITES: readonly Site[] = ['same-origin', 'same-site', 'cross-site']

/**
 * Changes the headers of {@link browserHeaders} to those after a redirect. Headers without `sec-fetch-site` stay as
 * they are, and so do those of a document whose address was typed.
 */
export function redirectBrowserHeaders(headers: Headers, to: URL): void {
  const before = SITES.indexOf(headers.get('sec-fetch-site') as Site)
  const referer = headers.get('referer')
  if (before < 0 || referer === null || !URL.canParse(referer)) return
  const page = new URL(referer)
  const site = SITES[Math.max(before, SITES.indexOf(siteOf(page, to)))]!
  headers.set('sec-fetch-site', site)
  headers.set('referer', refererFor(page, site))
  if (headers.get('sec-fetch-mode') === 'cors' && site !== 'same-origin') headers.set('origin', page.origin)
}

/** `strict-origin-when-cross-origin`, the policy of pages that declare none. */
const refererFor = ({ origin, pathname, search }: URL, site: Site): string =>
  site === 'same-origin' ? `${origin}${pathname}${search}` : `${origin}/`

function siteOf(page: URL, to: URL): Site {
  if (page.origin === to.origin) return 'same-origin'
  return page.protocol === to.protocol && domainOf(page) === domainOf(to) ? 'same-site' : 'cross-site'
}

/** The domain that somebody registered: `lamps.example` or `lamps.co.uk`. No site here is under a longer public suffix. */
function domainOf({ hostname }: URL): string {
  if (/^[\d.]+$|^\[/.test(hostname)) return hostname
  const labels = hostname.split('.')
  const hasTwoLabelSuffix = /(?:^|\.)(?:ac|co|com|edu|gov|net|or|org)\.[a-z]{2}$/.test(hostname)
  return labels.slice(hasTwoLabelSuffix ? -3 : -2).join('.')
}

type ByName = Readonly<Record<string, string>>

/**
 * The headers of a request in the order and the case of a browser, over HTTP/1.1.
 *
 * @param own headers, by their names in lower case
 * @param connection what else the request begins with: its host, and the length of its body if it has one
 * @returns `own` for a request without the headers of {@link browserHeaders}
 */
export function inBrowserOrder(
  own: ByName,
  { host, bytes }: { readonly host: string; readonly bytes: number | undefined },
): ByName {
  const as = { document: 'document', empty: 'fetch' }[own['sec-fetch-dest'] ?? ''] as RequestedAs | undefined
  if (as === undefined) return own
  const length = bytes === undefined ? {} : { 'content-length': String(bytes) }
  const headers: ByName = { host, connection: 'keep-alive', ...length, ...own }
  const order = ORDERS[as]
  const known = new Set(order.map((name) => name.toLowerCase()))
  const others = Object.keys(headers).filter((name) => !known.has(name))
  const names = order.flatMap((name) => (name === OTHERS ? others : [name]))
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name.toLowerCase()]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}
