/**
 * Finds the exchange of a family that answers a request. An exchange may answer any number of requests. If several
 * exchanges match, the most specific one is used.
 *
 * @module
 */
import { fitting } from '../../src/plugin/testing/exchanges.ts'
import type { Exchange } from '../../src/plugin/testing.ts'

/** A request; `path` with its query. */
export type SiteRequest = { readonly method: string; readonly path: string; readonly body: string }

/** Hosts are ignored: with a replaced origin, all requests of a family come to one server. */
const HOST = 'http://mock-site'

/**
 * Prepares exchanges for matching.
 *
 * @returns a function that returns the exchange for a request, or undefined when none matches
 * @throws {TypeError} for an exchange without an address
 */
export function matcherOf(exchanges: readonly Exchange[]): (request: SiteRequest) => Exchange | undefined {
  const known = exchanges.map((exchange) => {
    const hostless = { ...exchange, request: hostlessOf(exchange.request) }
    return { exchange, fits: fitting(hostless, HOST), weight: weightOf(hostless) }
  })
  // The sort is stable: the first of equals stays first.
  known.sort((a, b) => compare(b.weight, a.weight))
  return ({ method, path, body }) =>
    known.find(({ fits }) => fits({ method, url: HOST + path, body }))?.exchange
}

const hostlessOf = (request: string): string =>
  request.replace(/https?:\/\/[^/?#\s]+/, '').replace(/^([A-Z]+ )?(?=\?|$)/, '$1/')

/** How specific an exchange is: whether it names a body, how many query parameters, how few wildcards in the path. */
function weightOf({ request, sent }: Exchange): readonly number[] {
  const [path = '', query = ''] = request.split('?')
  const wildcards = path.split('/').filter((part) => part === '*').length
  return [sent === undefined ? 0 : 1, new URLSearchParams(query).size, -wildcards]
}

function compare(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((weight, at) => weight !== b[at])
  return i < 0 ? 0 : a[i]! - b[i]!
}
