/**
 * The module for tests of plugins, imported as `gleaner/plugin/testing`. It runs a task in the test's own process, with
 * canned responses or against a live site, and validates the input and the result as the service does.
 *
 * @module
 */
import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import { parseHTML } from 'linkedom'
import { issuesOf, isValid } from '../catalogue/check.ts'
import { inputIssues, withDefaults } from '../catalogue/input.ts'
import { completeRest, isRest, partialRest } from '../catalogue/result.ts'
import { HttpClient } from '../net/http-client.ts'
import { Origins, withOrigin } from '../net/transport/origins.ts'
import type { Transport } from '../net/transport/transport.ts'
import { SourceError } from './errors.ts'
import type { Context } from './run/context.ts'
import { createMemory, type Memory } from './run/memory.ts'
import type { Issue } from './schema/issue.ts'
import type { Source } from './source.ts'
import type { Rest, Task, TaskOptions } from './task.ts'
import type { Cassette } from './testing/cassette.ts'
import { drain } from './testing/collect.ts'
import { cookiesOf } from './testing/cookies.ts'
import { type Exchange, NoExchange, replay, type SentRequest, sentRequestOf } from './testing/exchanges.ts'
import { keptFiles, type WrittenFile } from './testing/files.ts'
import { pagesFor } from './testing/page.ts'

export { issuesOf } from '../catalogue/check.ts'
export { createMemory } from './run/memory.ts'
export { type Cassette, readCassette } from './testing/cassette.ts'
export { collect } from './testing/collect.ts'
export { closedRoute, type Exchange, NoExchange, type SentRequest } from './testing/exchanges.ts'
export type { WrittenFile } from './testing/files.ts'
export { hasBrowser } from './testing/page.ts'

/**
 * Options of {@link runTask}: the source, and where the task's requests go.
 *
 * @example
 * const options: RunOptions = { source, exchanges: [{ request: 'GET /search.json?q=desk', json: { hits: [] } }] }
 * options.exchanges?.length // => 1
 */
export type RunOptions = {
  readonly source: Source
  /** canned responses, each for one request; their order matters only among exchanges that match the same request */
  readonly exchanges?: readonly Exchange[]
  /**
   * whether `exchanges` are the answers of a run that broke before its end: when all are used and the task has yielded
   * items, the next request that none answers ends the run, without an error. Default false
   */
  readonly incomplete?: boolean
  /** instead of `exchanges`: sends each request, e.g. the global `fetch` */
  readonly fetch?: (request: Request) => Promise<Response>
  /** with `fetch`: the origin that requests go to instead of the source's own, like SOURCE_<FAMILY>_ORIGIN */
  readonly origin?: string
  /** aborts the run, as a client's cancellation does */
  readonly signal?: AbortSignal
  /** the time of `context.now()` and of the call, in milliseconds since 1970; default the clock */
  readonly now?: () => number
  /** the number of further blocks of the task's price that the balance allows; default unlimited */
  readonly blocks?: number
  /**
   * the value of `context.signedIn`; default true for tasks that require a login, otherwise false. The login's cookies
   * are those of `cookies`
   */
  readonly signedIn?: boolean
  /** the cookies of the login, by name, as the origin's; default none */
  readonly cookies?: Readonly<Record<string, string>>
  /** the operator's credentials, by the names that the source declares; default none */
  readonly credentials?: Readonly<Record<string, string>>
  /** what earlier runs of the process left: pass the same memory to several runs. Default: nothing */
  readonly memory?: Memory
  /** what earlier runs with the same exit left; default `memory`, as if all runs had the same exit */
  readonly exitMemory?: Memory
}

/**
 * The outcome of {@link runTask}.
 *
 * @example
 * const outcome: Outcome<{ title: string }, { next_cursor?: string | null }> = await runTask(
 *   search,
 *   { query: 'desk' },
 *   { source, exchanges: [{ request: '/search.json', json: { hits: [] } }] },
 * )
 * outcome.items // => []
 */
export type Outcome<Item, Returned> = {
  /** the faults of the input; if there are any, the task was not run */
  readonly issues: readonly Issue[]
  /** the items yielded, including those before an error */
  readonly items: readonly Item[]
  /** the result without its items; if the run ended early, `partial: true` and the extra fields' initial values */
  readonly rest: Returned & { readonly next_cursor: string | null; readonly partial?: true }
  /** the error that ended the run as failed; null when it succeeded */
  readonly error: SourceError | null
  /** the requests that the task made, redirects and retries included, in order */
  readonly requests: readonly SentRequest[]
  /** the calls of `context.progress` */
  readonly progress: readonly { done: number; total: number | null; message: string | null }[]
  /** the artifacts that were closed */
  readonly files: readonly WrittenFile[]
  /** the numbers of the further blocks that were charged */
  readonly blocks: readonly number[]
  /** the calls of `context.pause`, in milliseconds; the test does not wait */
  readonly pauses: readonly number[]
  /** the route that answered, for tasks with several; null when none did */
  readonly route: string | null
  /** the number of rows that could not be read and were left out */
  readonly skipped: number
}

/**
 * Runs a task to its end. Retries and pauses do not wait, and no request leaves the process unless `fetch` is given.
 *
 * @param input the input as a client sends it, path parameters included
 * @throws the task's error, if it is not a {@link SourceError}: the service would end the run as errored
 * @throws {TypeError} for an item or a result that does not match its declaration
 * @throws {NoExchange} when no exchange is left for a request, even if the task catches the error
 * @example
 * const { items, error, requests } = await runTask(search, { query: 'desk' }, {
 *   source,
 *   exchanges: [{ request: 'GET /search.json?q=desk', json: { hits: [{ title: 'A desk lamp' }] } }],
 * })
 * items // => [{ title: 'A desk lamp' }]
 * error // => null
 * requests.map(({ url }) => url) // => ['https://lamps.example/search.json?q=desk']
 */
export async function runTask<Input extends TObject, Item extends TSchema, Extra extends TProperties>(
  task: TaskOptions<Input, Item, Extra>,
  input: Partial<Static<Input>>,
  options: RunOptions,
): Promise<Outcome<Static<Item>, Rest<Extra>>> {
  const requests: SentRequest[] = []
  const progress: { done: number; total: number | null; message: string | null }[] = []
  const files: WrittenFile[] = []
  const blocks: number[] = []
  const pauses: number[] = []
  const items: Static<Item>[] = []
  const read: { route: string | null; skipped: number } = { route: null, skipped: 0 }
  const outcome = (issues: readonly Issue[], rest: unknown, error: SourceError | null) =>
    ({ issues, items, rest, error, requests, progress, files, blocks, pauses, ...read }) as Outcome<
      Static<Item>,
      Rest<Extra>
    >
  const now = options.now ?? Date.now
  const issues = inputIssues(task as Task, input, now())
  if (issues.length > 0) return outcome(issues, partialRest(task as Task), null)
  const { source } = options
  const failure = new AbortController()
  const signal = AbortSignal.any([failure.signal, ...(options.signal ? [options.signal] : [])])
  const send = withOrigin(new Origins(options.origin), transportOf(options))
  const transport: Transport = async (request) => {
    requests.push(await sentRequestOf(request))
    try {
      return await send(request)
    } catch (error) {
      // This is a mistake in the test, so the run fails even if the task handles the error.
      if (error instanceof NoExchange) failure.abort(error)
      throw error
    }
  }
  const client = new HttpClient({
    source,
    transport,
    signal,
    now,
    userAgent: USER_AGENT,
    until: Number.POSITIVE_INFINITY,
    acquire: async () => () => undefined,
    wait: async () => undefined,
    cookies: cookiesOf(source, options.cookies),
  })
  const pages = pagesFor(source, transport, signal)
  const memory = options.memory ?? createMemory(now)
  /** The outcome when the canned responses have ended, as far as that is expected. */
  const cutShort = () => {
    const { reason } = failure.signal
    const isExpected = options.incomplete === true && reason instanceof NoExchange && items.length > 0
    if (isExpected && reason.unused.length === 0) return outcome([], partialRest(task as Task), null)
    throw reason
  }
  const context: Context = {
    fetch: (address, fetchOptions) => client.fetch(address, fetchOptions),
    page: pages.page,
    parse: (html) => parseHTML(html).document as unknown as Document,
    progress: (done, total = null, message = null) => void progress.push({ done, total, message }),
    artifact: keptFiles(files),
    unfinished: async () => undefined,
    async charge(block) {
      const paid = block <= (options.blocks ?? Number.POSITIVE_INFINITY)
      if (paid && !blocks.includes(block)) blocks.push(block)
      return paid
    },
    async pause(ms) {
      pauses.push(ms)
      return !signal.aborted
    },
    signal,
    now,
    log: () => undefined,
    cookie: (name, url) => client.cookie(name, url),
    memory,
    exitMemory: options.exitMemory ?? memory,
    credentials: options.credentials ?? null,
    note({ route, skipped = 0 }) {
      read.route = route ?? read.route
      read.skipped += skipped
    },
    origin: source.origin,
    signedIn: options.signedIn ?? task.needs?.login === true,
  }
  try {
    const result = await drain(
      task.run(context, withDefaults(task.input, input) as Static<Input>),
      (item) => {
        failure.signal.throwIfAborted()
        checkItem(task.item, item)
        items.push(item)
      },
    )
    if (failure.signal.aborted) return cutShort()
    const rest = completeRest(result)
    if (!isRest(task as Task, rest))
      throw new TypeError(`the result of ${task.key} does not match its declaration: ${shortJson(rest)}`)
    return outcome([], rest, null)
  } catch (error) {
    if (failure.signal.aborted) return cutShort()
    if (!(error instanceof SourceError)) throw error
    return outcome([], partialRest(task as Task), error)
  } finally {
    await pages.close()
  }
}

/**
 * Runs cassettes of a source one after another, and then each of them twice, all at the same time. A process of plugins
 * executes runs of several accounts like this, so the outcomes must not differ. They do if a run writes to a module
 * variable.
 *
 * @param options `now` must not change; default: the time of the call
 * @returns for each cassette the outcome of its run alone, and the two outcomes of its runs together with the others
 * @example
 * const cassette: Cassette = {
 *   task: 'lamps.search',
 *   input: { query: 'desk' },
 *   exchanges: [{ request: 'GET /search.json?q=desk', json: { hits: [{ title: 'A desk lamp' }] } }],
 * }
 * const [outcome] = await runTogether(source, [cassette])
 * outcome?.together.map(({ items }) => items) // => [outcome?.alone.items, outcome?.alone.items]
 */
export async function runTogether(
  source: Source,
  cassettes: readonly Cassette[],
  { now = fixed(Date.now()) }: Pick<RunOptions, 'now'> = {},
): Promise<{ readonly alone: AnyOutcome; readonly together: readonly AnyOutcome[] }[]> {
  const run = ({ task: key, input, signedIn, exchanges }: Cassette, turns: number): Promise<AnyOutcome> => {
    const task = source.tasks.find((each) => each.key === key)
    if (!task) throw new TypeError(`${source.name} has no task ${key}`)
    const answer = replay(exchanges, source.origin)
    const fetch = async (request: Request) => {
      for (let turn = 0; turn < turns; turn++) await new Promise((go) => setImmediate(go))
      return answer(request)
    }
    return runTask(task, input, { source, fetch, now, ...(signedIn === undefined ? {} : { signedIn }) })
  }
  const alone: AnyOutcome[] = []
  for (const cassette of cassettes) alone.push(await run(cassette, 0))
  // Answers take different numbers of turns, so the steps of the runs alternate in many ways.
  const pairs = cassettes.map((cassette, i) => Promise.all([run(cassette, i % 3), run(cassette, 3)]))
  const together = await Promise.all(pairs)
  return alone.map((outcome, i) => ({ alone: outcome, together: together[i] ?? [] }))
}

type AnyOutcome = Outcome<unknown, Readonly<Record<string, unknown>>>

const fixed = (at: number) => () => at

function checkItem(schema: TSchema, item: unknown): void {
  if (isValid(schema, item)) return
  const [issue] = issuesOf(schema, item)
  throw new TypeError(
    `an item does not match its schema: ${issue?.pointer} ${issue?.detail}: ${shortJson(item)}`,
  )
}

const USER_AGENT = 'Gleaner/test'

const shortJson = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 500)

function transportOf({ exchanges, fetch, origin, source }: RunOptions): Transport {
  if (fetch) return fetch
  if (origin !== undefined) throw new TypeError('`origin` needs `fetch`')
  return replay(exchanges ?? [], source.origin)
}
