/**
 * The addresses that a source's requests may go to.
 *
 * @module
 */
import { SourceError } from '../plugin/errors.ts'
import { hostMatches } from '../plugin/reading/urls.ts'
import type { Source } from '../plugin/source.ts'

/** Why an address does not belong to the source; undefined when it does. */
export function addressFault(source: Pick<Source, 'origin' | 'hosts'>, url: URL): string | undefined {
  const { protocol, hostname, username, password, port } = url
  if (protocol !== 'https:' && protocol !== 'http:') return `not an http(s) URL: ${protocol}`
  if (username || password) return 'a URL with credentials'
  if (isIp(hostname)) return 'an IP address in place of a host name'
  const own = hostname === new URL(source.origin).hostname
  if (!own && !hostMatches(hostname, source.hosts ?? [])) return `not a host of the source: ${hostname}`
  return port && url.origin !== source.origin ? `a port other than the source's: ${port}` : undefined
}

/** The error that an address means for the run, when it is one of the source's interstitials. */
export function interstitialOf(
  source: Pick<Source, 'interstitials'>,
  address: string,
): SourceError | undefined {
  const interstitial = source.interstitials?.find((each) => each.url.test(address))
  if (!interstitial) return undefined
  const { host, pathname } = new URL(address)
  return new SourceError(interstitial.ends, `redirected to ${host}${pathname}`)
}

/** A redirect from https to http, where anybody on the network path could read and change the traffic. */
export class Downgrade extends SourceError {
  constructor() {
    super('source-redirected', 'redirected from https to http')
  }
}

export const isDowngrade = (from: URL, to: URL): boolean =>
  from.protocol === 'https:' && to.protocol === 'http:'

/**
 * Why a request may not follow a redirect: the target is an interstitial, does not belong to the source, or is
 * unencrypted while `from` is encrypted.
 *
 * @param url the target
 * @param from the address that redirected
 */
export function redirectFault(
  source: Pick<Source, 'origin' | 'hosts' | 'interstitials'>,
  url: URL,
  from: URL,
): SourceError | undefined {
  const interstitial = interstitialOf(source, url.href)
  if (interstitial) return interstitial
  const fault = addressFault(source, url)
  if (fault) return new SourceError('source-redirected', fault)
  return isDowngrade(from, url) ? new Downgrade() : undefined
}

/** `URL` has already normalized all notations of IPv4 addresses to dotted decimal. */
const isIp = (hostname: string): boolean => hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
