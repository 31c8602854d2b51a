/**
 * Redirects of the requests that a page's own scripts make. The browser follows them by itself, so a task would wait for
 * a response that never comes: the source answered with a redirect to a block page.
 *
 * @module
 */
import type { Request as PageRequest } from 'rebrowser-playwright'
import { interstitialOf, redirectFault } from '../../net/allowed-hosts.ts'
import type { SourceError } from '../../plugin/errors.ts'
import type { Arrived } from './arrived.ts'
import type { Site } from './requests.ts'

/** A request and those that were redirected to it, the latest first. */
export function hopsOf(request: PageRequest): PageRequest[] {
  const hops: PageRequest[] = []
  for (let hop: PageRequest | null = request; hop; hop = hop.redirectedFrom()) hops.push(hop)
  return hops
}

/** The response at the end of some hops. If that is an interstitial, its body can't be read and has the error. */
export function unlessInterstitial(arrived: Arrived, hops: readonly PageRequest[], site: Site): Arrived {
  const fault = hops.length > 1 ? interstitialOf(site, arrived.url) : undefined
  return fault ? { ...arrived, body: fault } : arrived
}

/**
 * What takes the place of the response when the browser was not allowed to follow the last redirect of some hops: the
 * redirect, with the error that its target means. Undefined if a page of the source may go there: then the request failed
 * by itself.
 */
export async function refusedRedirect(
  hops: readonly PageRequest[],
  site: Site,
): Promise<Arrived | undefined> {
  const [target, from] = hops
  if (!target || !from) return undefined
  const fault = faultOf(site, target.url(), from.url())
  if (!fault) return undefined
  const status = (await from.response())?.status() ?? 302
  return { status, url: target.url(), headers: new Headers(), body: fault }
}

function faultOf(site: Site, target: string, from: string): SourceError | undefined {
  const { hosts = [], assetHosts = [] } = site
  return redirectFault({ ...site, hosts: [...hosts, ...assetHosts] }, new URL(target), new URL(from))
}
