/**
 * Addresses that a client sends: they must be on the hosts of the source and leave no doubt about their host.
 *
 * @module
 */
import type { FetchOptions } from '../run/reply.ts'
import type { Issue } from '../schema/issue.ts'

/**
 * Whether a host name is one of `hosts`: names, or `*.example.org` for all names below one.
 *
 * @param host as in `URL.hostname`: lower case, Unicode as punycode
 * @example
 * hostMatches('en.wiki.example', ['*.wiki.example']) // => true
 * hostMatches('wiki.example', ['*.wiki.example']) // => false
 * hostMatches('evilwiki.example', ['wiki.example']) // => false
 */
export function hostMatches(host: string, hosts: readonly string[]): boolean {
  return hosts.some((pattern) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
  )
}

/** Sets the parameters of a request's query on an address, which it changes; what is null or undefined is left out. */
export function withQuery(url: URL, query: FetchOptions['query'] = {}): URL {
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
  return url
}

/** Plain ASCII up to the path: no user, no port, no escapes, no look-alike letters, no dot at its end. */
const PLAIN = /^https?:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?=[/?#]|$)/i

/**
 * The address in a client's text, when it lies on one of the hosts. Refused are other hosts, other schemes, user
 * info, ports, IP addresses, and everything that a URL parser would silently repair (backslashes, blanks, escapes in
 * the host, Unicode letters in the host).
 *
 * @returns undefined when it does not
 * @example
 * urlWithin('https://www.shop.example/m/7?x=1', ['www.shop.example'])?.pathname // => '/m/7'
 * urlWithin('https://www.shop.example@evil.example/', ['www.shop.example']) // => undefined
 * urlWithin('https://www.shop.example:444/', ['www.shop.example']) // => undefined
 */
export function urlWithin(text: string, hosts: readonly string[]): URL | undefined {
  const host = PLAIN.exec(text)?.[1]?.toLowerCase()
  if (host === undefined || /[\s\\]/.test(text) || !hostMatches(host, hosts)) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  // The parser reads numbers as IP addresses: 0x7f.1 would no longer be the host that was compared.
  return url?.hostname === host ? url : undefined
}

/**
 * The host in a client's text that names a site: `shop.example`, `www.shop.example` or `https://www.shop.example`.
 *
 * @returns undefined for any other host
 * @example
 * domainWithin('https://www.shop.example/', ['www.shop.example']) // => 'www.shop.example'
 * domainWithin('shop.example', ['shop.example', 'www.shop.example']) // => 'shop.example'
 * domainWithin('shop.example.evil.example', ['shop.example']) // => undefined
 */
export function domainWithin(text: string, hosts: readonly string[]): string | undefined {
  const url = urlWithin(/^https?:\/\//i.test(text) ? text : `https://${text}`, hosts)
  return url && url.pathname === '/' && !url.search && !url.hash ? url.hostname : undefined
}

/**
 * For `refine`: the issue of an address that does not lie on the hosts; none when it was not sent.
 *
 * @example
 * urlIssues('/url', 'https://shop.example/1', ['shop.example']) // => []
 * urlIssues('/url', 'http://127.0.0.1/', ['shop.example'])[0]?.detail // => 'must be an http(s) URL on shop.example'
 */
export function urlIssues(pointer: string, sent: string | undefined, hosts: readonly string[]): Issue[] {
  if (sent === undefined || urlWithin(sent, hosts)) return []
  const named =
    hosts.length > 5 ? `${hosts.slice(0, 5).join(', ')} or another host of the source` : hosts.join(', ')
  return [{ pointer, code: 'foreign-url', detail: `must be an http(s) URL on ${named}` }]
}
