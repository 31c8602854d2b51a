/**
 * Checks URLs and domains that clients send: they must be on the source's hosts, and their host must be unambiguous.
 *
 * @module
 */
import type { FetchOptions } from '../run/reply.ts'
import type { Issue } from '../schema/issue.ts'

/**
 * Whether a host name matches one of `hosts`.
 *
 * @param host a name as in `URL.hostname`: lower case, Unicode as punycode
 * @param hosts names, or `*.example.org` for all subdomains of a name
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

/** Sets query parameters on a URL in place, skipping those that are null or undefined. @returns the same URL */
export function withQuery(url: URL, query: FetchOptions['query'] = {}): URL {
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
  return url
}

/** Plain ASCII up to the path: no user info, no port, no escapes, no look-alike letters, no trailing dot. */
const PLAIN = /^https?:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?=[/?#]|$)/i

/**
 * Parses a client's text as an http(s) URL on one of the hosts. Rejects other hosts, other schemes, user info, ports,
 * IP addresses, and everything that a URL parser would silently repair (backslashes, blanks, escapes in the host,
 * Unicode letters in the host).
 *
 * @param hosts names, or `*.example.org` for all subdomains of a name
 * @returns undefined for a rejected text
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
 * The host that a client's text names: `shop.example`, `www.shop.example` or `https://www.shop.example`.
 *
 * @returns undefined when the text is not one of the hosts, or has a path, query or fragment
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
 * For `refine`: the issues of a URL field. One issue if the URL is not on the hosts; none if the field was not sent.
 *
 * @param pointer the JSON pointer of the field, such as `/url`
 *
 * @example
 * urlIssues('/url', 'https://shop.example/1', ['shop.example']) // => []
 * urlIssues('/url', 'http://127.0.0.1/', ['shop.example'])[0]?.detail // => 'must be an http(s) URL on shop.example'
 */
export function urlIssues(pointer: string, text: string | undefined, hosts: readonly string[]): Issue[] {
  if (text === undefined || urlWithin(text, hosts)) return []
  const names =
    hosts.length > 5 ? `${hosts.slice(0, 5).join(', ')} or another host of the source` : hosts.join(', ')
  return [{ pointer, code: 'foreign-url', detail: `must be an http(s) URL on ${names}` }]
}
