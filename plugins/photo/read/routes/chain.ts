/**
 * Routes in the order in which they are tried, with the site's own rules for their end.
 *
 * @module
 */
import { type Route, routes, SourceError } from 'gleaner/plugin'
import { endOf, isSignedOut } from '../site/refusals.ts'
import type { Site } from '../site/site.ts'

/**
 * Combines routes to one reader, which throws {@link endOf} the refusals when no route answers. Once a member's login
 * is refused, no further route is asked with it.
 *
 * @param isNoted whether the run's log line names the route that answers
 */
export function chainOf<Input = void, Answer = unknown>(
  site: Site,
  all: readonly Route<Input, Answer>[],
  isNoted = false,
): (input: Input) => Promise<Answer> {
  const { exitMemory, note, log, signedIn } = site.context
  const refusals: SourceError[] = []
  const watched = all.map(({ read, shared = true, ...route }) => ({
    ...route,
    // What members get depends on their login, so it says nothing about other runs.
    shared: shared && !signedIn,
    async read(input: Input) {
      try {
        if (site.refusal) throw site.refusal
        return await read(input)
      } catch (error) {
        if (!(error instanceof SourceError)) throw error
        if (isSignedOut(error)) site.refusal = error
        refusals.push(error)
        log('a route was refused', { route: route.name, code: error.code, words: error.message })
        throw error
      }
    },
  }))
  const routeContext = { exitMemory, note: isNoted ? note : () => undefined }
  const read = routes(routeContext, watched, { later: 'any', end: () => endOf(refusals) })
  return (input) => {
    refusals.length = 0
    return read(input)
  }
}
