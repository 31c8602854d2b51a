/**
 * Which of a family's exchanges answers a request: any that fits, any number of times; of several the one that says
 * most about the request.
 *
 * @module
 */

import { fitting } from '../plugin/testing/exchanges.ts'
import type { Exchange } from '../plugin/testing.ts'

/** A request; `path` with its query. */
export type Asked = { readonly method: string; readonly path: string; readonly body: string }

/** Hosts are not told apart: with a replaced origin all requests of a family come to one place. */
const HOST = 'http://stand-in'

/**
 * How requests are answered by some exchanges.
 *
 * @returns the choice for a request; undefined when none fits
 * @throws {TypeError} for an exchange without an address
 */
export function choiceOf(exchanges: readonly Exchange[]): (asked: Asked) => Exchange | undefined {
  const known = exchanges.map((exchange) => {
    const hostless = { ...exchange, request: hostlessOf(exchange.request) }
    return { exchange, fits: fitting(hostless, HOST), weight: weightOf(hostless) }
  })
  // The sort is stable: of equals the first one stays before the others.
  known.sort((a, b) => compare(b.weight, a.weight))
  return ({ method, path, body }) =>
    known.find(({ fits }) => fits({ method, url: HOST + path, body }))?.exchange
}

const hostlessOf = (request: string): string =>
  request.replace(/https?:\/\/[^/?#\s]+/, '').replace(/^([A-Z]+ )?(?=\?|$)/, '$1/')

/** What an exchange says of a request: its body, its query parameters, the parts of its path. */
function weightOf({ request, sent }: Exchange): readonly number[] {
  const [path = '', query = ''] = request.split('?')
  const wildcards = path.split('/').filter((part) => part === '*').length
  return [sent === undefined ? 0 : 1, new URLSearchParams(query).size, -wildcards]
}

function compare(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((weight, at) => weight !== b[at])
  return i < 0 ? 0 : a[i]! - b[i]!
}
