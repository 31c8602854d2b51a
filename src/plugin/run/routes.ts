/**
 * A task's ways to the same data, in the order in which they are tried.
 *
 * @module
 */
import { SourceError, type SourceErrorCode } from '../errors.ts'
import type { Context } from './context.ts'
import type { Memory } from './memory.ts'

/**
 * One way to the data of a task.
 *
 * @example
 * const site: Route<string, unknown> = { name: 'site', read: async (query) => ({ query, hits: [] }) }
 * site.name // => 'site'
 */
export type Route<Input, Answer> = {
  /** the name in the log, such as `api` */
  readonly name: string
  /** Reads the data. It throws a {@link SourceError} when it is refused. */
  readonly read: (input: Input) => Promise<Answer>
  /** false: this run cannot use the route, e.g. for lack of a login. Default true */
  readonly usable?: boolean
  /**
   * Whether its refusal says something about all runs: then no run of the process with the same exit tries the route
   * for ten minutes, once another route has answered. False for a route that depends on the account's login or on the
   * input. Default true
   */
  readonly shared?: boolean
  /**
   * The refusals of the routes before it after which it is tried, e.g. only `source-changed` where a block holds for all
   * routes. Default: after any refusal that leads on
   */
  readonly after?: readonly SourceErrorCode[]
}

/**
 * Options of {@link routes}.
 *
 * @example
 * const options: RoutesOptions = { later: 'any' }
 * options.later // => 'any'
 */
export type RoutesOptions = {
  /**
   * Which routes later calls may use: `same`, only the route that answered the first call, because its positions mean
   * nothing to the others (default); `any`, also the following ones, once that route is refused.
   */
  readonly later?: 'same' | 'any'
  /** Chooses the error of the run when every route was refused. Default: by {@link refusalOf} */
  readonly end?: (refusals: readonly SourceError[]) => SourceError
}

/** Refusals that close a route for the process and exit. Others of {@link LEADS_ON} may pass with the next request. */
const CLOSES: ReadonlySet<SourceErrorCode> = new Set([
  'source-blocked',
  'source-changed',
  'source-redirected',
])
/** Refusals of a route, not of what was asked for. All others are the answer, by whatever route they come. */
const LEADS_ON: ReadonlySet<SourceErrorCode> = new Set([
  ...CLOSES,
  'source-unavailable',
  'source-login-required',
])
/** How long a refused route is not tried again, in seconds. */
const CLOSED_S = 600

/**
 * Combines the routes of a task to one reader. The first call tries them in order until one answers; later calls stay
 * with it. A refusal that means "this way is closed" (`source-blocked`, `source-changed`, `source-redirected`,
 * `source-unavailable`, `source-login-required`) leads to the next route. Any other error ends the run, whichever route
 * it comes from: `not-found`, `private`, `restricted`, `bad-input`, `source-rate-limited`, `response-too-large`, and one
 * that is final, as TryAgain.
 *
 * A route that was refused while another one answered is not tried again at this exit by this process for ten minutes.
 * One `source-changed` may be due to the input, so it takes two in a row. The run's log line names the route that answered.
 *
 * @param all at least one of them usable
 * @returns the reader; it throws {@link refusalOf} the refusals when no route answers
 * @throws {TypeError} when no route is usable
 * @example
 * const read = routes(context, [
 *   { name: 'api', read: async () => { throw new Blocked('no visitors here') } },
 *   { name: 'page', read: async (query: string) => `a page about ${query}` },
 * ])
 * await read('lamps') // => 'a page about lamps'
 */
export function routes<Input = void, Answer = unknown>(
  context: Pick<Context, 'exitMemory' | 'note'>,
  all: readonly Route<Input, Answer>[],
  { later = 'same', end = refusalOf }: RoutesOptions = {},
): (input: Input) => Promise<Answer> {
  const usable = all.filter((route) => route.usable ?? true)
  if (usable.length === 0) throw new TypeError('no route is usable')
  const open = usable.filter(({ name }) => context.exitMemory.get(closedName(name)) === undefined)
  // When all were refused lately, there is nothing left but to ask again.
  let remaining = open.length > 0 ? open : usable
  return async (input) => {
    const refusals: { readonly route: Route<Input, Answer>; readonly error: SourceError }[] = []
    for (const route of remaining) {
      const last = refusals.at(-1)
      if (last && route.after && !route.after.includes(last.error.code)) continue
      try {
        const answer = await route.read(input)
        context.exitMemory.delete(doubtName(route.name))
        for (const each of refusals)
          if (each.route.shared ?? true) close(context.exitMemory, each.route.name, each.error)
        remaining = later === 'same' ? [route] : remaining.slice(remaining.indexOf(route))
        context.note({ route: route.name })
        return answer
      } catch (error) {
        if (!(error instanceof SourceError) || error.isFinal || !LEADS_ON.has(error.code)) throw error
        refusals.push({ route, error })
      }
    }
    throw end(refusals.map(({ route, error }) => (refusals.length === 1 ? error : withName(error, route))))
  }
}

const closedName = (route: string): string => `route ${route} is closed`
const doubtName = (route: string): string => `route ${route} is in doubt`

/** Remembers that a route was refused while another one answered. */
function close(memory: Memory, route: string, { code }: SourceError): void {
  if (!CLOSES.has(code)) return
  const isCertain = code !== 'source-changed' || memory.get(doubtName(route)) !== undefined
  memory.set((isCertain ? closedName : doubtName)(route), true, CLOSED_S)
}

/** The refusal with the name of its route before its words. */
const withName = ({ code, message }: SourceError, { name }: { readonly name: string }): SourceError =>
  new SourceError(code, `${name}: ${message}`)

/** From the refusal that says most about what to do to the one that says least. */
const TELLING: readonly SourceErrorCode[] = [
  'source-login-required',
  'source-blocked',
  'source-redirected',
  'source-unavailable',
  'source-changed',
]

/**
 * The error of a run whose routes were all refused: the most telling code, in the order `source-login-required`,
 * `source-blocked`, `source-redirected`, `source-unavailable`, `source-changed`, with the words of all refusals.
 *
 * @param refusals at least one
 * @example
 * refusalOf([new SourceChanged('api: 404'), new Blocked('page: captcha')]).message // => 'api: 404; page: captcha'
 */
export function refusalOf(refusals: readonly SourceError[]): SourceError {
  const [first] = refusals
  if (refusals.length === 1 && first) return first
  const code = TELLING.find((each) => refusals.some((refusal) => refusal.code === each))
  return new SourceError(code ?? refusals[0]!.code, refusals.map(({ message }) => message).join('; '))
}
