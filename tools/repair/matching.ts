/**
 * Which exchanges of two runs of a task are the same step, and which old run is the most like a new one.
 *
 * @module
 */
import type { Cassette, Exchange } from '../../src/plugin/testing.ts'

/** The same step of two runs. */
export type Pair = { readonly old: Exchange; readonly fresh: Exchange }

/**
 * For each exchange of the new run the most similar one of the old run; those without a similar one are left out.
 *
 * @param origin of the source, for requests that are paths
 */
export const pairsOf = (old: Cassette, fresh: Cassette, origin: string): Pair[] =>
  fresh.exchanges.flatMap((exchange) => {
    const best = mostLike(exchange, old.exchanges, origin)
    return best ? [{ old: best.exchange, fresh: exchange }] : []
  })

/** The run whose requests are the most like those of a new run; undefined when there is none to choose from. */
export function nearestOf<Run extends { readonly cassette: Cassette }>(
  runs: readonly Run[],
  fresh: Cassette,
  origin: string,
): Run | undefined {
  const scored = runs.map((run) => ({ run, score: similarity(run.cassette, fresh, origin) }))
  return scored.reduce<(typeof scored)[number] | undefined>(
    (best, one) => (best && best.score >= one.score ? best : one),
    undefined,
  )?.run
}

function similarity(old: Cassette, fresh: Cassette, origin: string): number {
  const steps = fresh.exchanges.map((exchange) => mostLike(exchange, old.exchanges, origin)?.likeness ?? 0)
  const requests = steps.reduce((sum, each) => sum + each, 0) / Math.max(1, steps.length)
  // Requests decide; the input does where requests are equally like.
  const input = shared(Object.entries(old.input).map(String), Object.entries(fresh.input).map(String))
  return requests + input / 10 + (old.signedIn === fresh.signedIn ? 0.1 : 0)
}

function mostLike(exchange: Exchange, all: readonly Exchange[], origin: string) {
  let best: { readonly exchange: Exchange; readonly likeness: number } | undefined
  for (const one of all) {
    const likeness = likenessOf(one, exchange, origin)
    if (likeness > (best?.likeness ?? 0)) best = { exchange: one, likeness }
  }
  return best
}

/** How similar two requests are, from 0 (another host, method or depth of path) to 1. */
function likenessOf(a: Exchange, b: Exchange, origin: string): number {
  const [one, other] = [requestOf(a, origin), requestOf(b, origin)]
  const segments = [one, other].map(({ url }) => url.pathname.split('/').slice(1)) as [string[], string[]]
  if (one.method !== other.method || one.url.host !== other.url.host) return 0
  if (segments[0].length !== segments[1].length) return 0
  const same = segments[0].filter((segment, i) => segment === '*' || segment === segments[1][i]).length
  const query = shared([...one.url.searchParams.keys()], [...other.url.searchParams.keys()])
  const answers = bodyOf(a) === bodyOf(b) ? 1 : 0
  return (3 * (same / segments[0].length) + query + shared(sentOf(a), sentOf(b)) + answers) / 6
}

/** Method and URL of an exchange. */
export function requestOf(
  { request }: Exchange,
  origin: string,
): { readonly method: string; readonly url: URL } {
  const [, method = 'GET', address = ''] = /^(?:([A-Z]+) )?(\S+)$/.exec(request) ?? []
  return { method, url: new URL(address, origin) }
}

const bodyOf = ({ json, body, base64 }: Exchange): string =>
  json !== undefined ? 'json' : base64 !== undefined ? 'base64' : body === undefined ? 'none' : 'text'

const sentOf = ({ sent }: Exchange): string[] =>
  typeof sent === 'object' && sent !== null
    ? Object.entries(sent).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    : sent === undefined
      ? []
      : [String(sent)]

/** The share of words that two lists have in common; 1 for two empty lists. */
function shared(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [new Set(a), new Set(b)]
  const all = one.union(other)
  return all.size === 0 ? 1 : one.intersection(other).size / all.size
}
