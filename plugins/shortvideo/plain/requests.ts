/**
 * Plain requests to the site, as a visitor's browser makes them, without signature.
 *
 * @module
 */
import { Blocked, type Context, SourceError } from 'gleaner/plugin'
import { GONE, jsonOf } from '../refusals.ts'
import { ORIGIN } from '../site.ts'

export type Asking = Pick<Context, 'fetch' | 'exitMemory' | 'pause' | 'signedIn'>

/** Headers of all plain requests: the front page has the link. */
export const HEADERS = { referer: `${ORIGIN}/` }

/**
 * The JSON of a list or a detail.
 *
 * @param query as few parameters as possible: with more of them the site wants a signature, and its answer is empty
 * @throws {Blocked} for an empty response and for a block page
 */
export const plainJson = (
  context: Asking,
  path: string,
  query: Readonly<Record<string, string | number>>,
): Promise<unknown> =>
  unlessRefused(context, path, async () => {
    const headers = { ...HEADERS, accept: 'application/json, text/plain, */*' }
    const reply = await context.fetch(path, { as: 'fetch', query, headers, errors: GONE })
    return jsonOf(await reply.text())
  })

/** After this many refusals in a row, visitors with the same exit leave a route alone for some hours. */
const MOST_REFUSALS = 5
const REST_S = 3 * 3600

/**
 * Makes a request of a route, unless the site has refused the last five.
 *
 * @param route the name of the route
 * @throws {Blocked} without a request
 */
export async function unlessRefused<T>(
  { exitMemory, signedIn }: Asking,
  route: string,
  ask: () => Promise<T>,
): Promise<T> {
  // An account's refusals are its own.
  if (signedIn) return ask()
  const name = `refusals of ${route} in a row`
  const before = Number(exitMemory.get(name) ?? 0)
  if (before >= MOST_REFUSALS)
    throw new Blocked(`refused ${MOST_REFUSALS} times in a row, and left alone for some hours`)
  try {
    const answer = await ask()
    exitMemory.delete(name)
    return answer
  } catch (error) {
    if (error instanceof SourceError && error.code === 'source-blocked')
      exitMemory.set(name, before + 1, REST_S)
    throw error
  }
}
