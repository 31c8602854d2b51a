import type { components, paths } from '../generated/api.d.ts'
import { GleanerError } from './errors.ts'
import type { Http } from './http.ts'
import { list } from './list.ts'
import { sleep } from './retries.ts'
import {
  type Abortable,
  type AnyRun,
  type EndedRun,
  type ExportFormat,
  type Item,
  isEnded,
  type Progress,
  type Run,
  type RunData,
  RunMethods,
  type TaskKey,
  type WaitOptions,
} from './run.ts'
import { download, follow } from './streams.ts'

type Event = components['schemas']['Event']
type Filter = Omit<NonNullable<paths['/v1/runs']['get']['parameters']['query']>, 'cursor'>

/** Seconds for which the service is asked to hold its response. Below the usual timeout of proxies. */
const HOLD_S = 25
/** Minimum time between two requests in milliseconds, even if the service responds early. */
const SHORTEST_HOLD_MS = 1000
const FIRST_POLL_MS = 3000
const LONGEST_POLL_MS = 30_000

/** The runs of the account. */
export class Runs {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** The current state of the run. */
  async get<K extends TaskKey>(
    runId: string,
    options?: Abortable,
  ): Promise<[TaskKey] extends [K] ? AnyRun : Run<K>>
  async get(runId: string, options?: Abortable): Promise<unknown> {
    return this.#get(runId, 0, options)
  }

  async #get<K extends TaskKey>(runId: string, holdS: number, options: Abortable = {}): Promise<Run<K>> {
    const query = holdS > 0 ? { wait: holdS } : {}
    return this.of(await this.#http.json<RunData<K>>({ ...ofRun(runId, '', options), query }))
  }

  /** @internal */
  of<K extends TaskKey>(data: RunData<K>): Run<K> {
    // Without a status, it would count as a run in progress, and be waited for forever.
    if (typeof data?.run_status !== 'string')
      throw new GleanerError({ code: 'unexpected-answer', status: 200, detail: 'The response is not a run.' })
    return new RunMethods(this, data) as Run<K>
  }

  /** All runs, newest first. `limit` is the page size. */
  async *list({ signal, ...query }: Filter & Abortable = {}): AsyncGenerator<AnyRun, void> {
    const all = list<RunData>(this.#http, { path: '/v1/runs', query, signal }, 'runs')
    for await (const data of all) yield this.of(data) as AnyRun
  }

  /** Waits for the end of a run. @returns the run, whatever its outcome */
  async wait<K extends TaskKey>(runId: string, options: WaitOptions = {}): Promise<EndedRun<K>> {
    const { poll, onProgress, signal } = options
    if (poll) return this.#poll(runId, options)
    if (onProgress) {
      for await (const { type, data } of this.events(runId, { signal })) {
        if (type === 'gleaner.RunProgressed') onProgress(progressOf(data as Progress))
      }
    }
    for (;;) {
      const askedAt = performance.now()
      const run = await this.#get<K>(runId, HOLD_S, options)
      if (isEnded(run)) return run
      // A service that is shutting down responds without holding.
      await sleep(Math.max(0, askedAt + SHORTEST_HOLD_MS - performance.now()), signal)
    }
  }

  async #poll<K extends TaskKey>(runId: string, { onProgress, signal }: WaitOptions): Promise<EndedRun<K>> {
    let reported = JSON.stringify({ done: 0, total: null, message: null })
    for (let baseMs = FIRST_POLL_MS; ; baseMs = Math.min(baseMs * 2, LONGEST_POLL_MS)) {
      await sleep(baseMs * (0.9 + Math.random() * 0.2), signal)
      const run = await this.#get<K>(runId, 0, { signal })
      const now = JSON.stringify(progressOf(run.progress))
      if (now !== reported) onProgress?.(run.progress)
      reported = now
      if (isEnded(run)) return run
    }
  }

  /** Requests cancellation. @throws {GleanerError} `run-finished`, if the run ended before it could be cancelled */
  async cancel<K extends TaskKey>(runId: string, options: Abortable = {}): Promise<Run<K>> {
    const call = { ...ofRun(runId, '/cancel', options), method: 'POST', repeatable: true }
    try {
      return this.of(await this.#http.json<RunData<K>>(call))
    } catch (error) {
      if (!(error instanceof GleanerError) || error.code !== 'run-finished') throw error
      // An earlier attempt may have cancelled the run, but its response was lost.
      const run = await this.#get<K>(runId, 0, options)
      if (run.run_status === 'cancelled') return run
      throw error
    }
  }

  /** Waits for the end, then yields the items. @throws {RunFailed} after the last item, if the run did not succeed */
  async *items<K extends TaskKey>(runId: string, options?: WaitOptions): AsyncGenerator<Item<K>, void> {
    const run = await this.wait<K>(runId, options)
    yield* run.items()
  }

  /**
   * The items of a run so far, without waiting; all of them once it has ended. A run that works may start over, and then
   * has other items.
   */
  itemsSoFar<K extends TaskKey>(runId: string, options?: Abortable): Promise<readonly Item<K>[]> {
    return this.#http.json(ofRun(runId, '/items', options))
  }

  /** The events of a run up to its end, starting at the first one or after the position `after`. */
  events(runId: string, options: Abortable & { readonly after?: string } = {}): AsyncGenerator<Event, void> {
    return follow<Event>(this.#http, ofRun(runId, '/events', options), options.after)
  }

  /** Waits for the end of a run, then returns its items as `json`, `ndjson` or `csv`. Resumes as {@link download} does. */
  async export(runId: string, format: ExportFormat, options: WaitOptions = {}): Promise<Response> {
    await this.wait(runId, options)
    return this.exportEnded(runId, format, options)
  }

  /** @internal */
  exportEnded(runId: string, format: ExportFormat, options: Abortable): Promise<Response> {
    return download(this.#http, { ...ofRun(runId, '/items', options), query: { format } })
  }

  /** Downloads a file of a run by its name in `artifacts`. Resumes when the connection breaks. */
  async download(runId: string, name: string, { signal }: Abortable = {}): Promise<Response> {
    const params = { run_id: runId, name }
    return download(this.#http, { path: '/v1/runs/{run_id}/artifacts/{name}', params, signal })
  }
}

/** A call about a run. */
const ofRun = (runId: string, path = '', { signal }: Abortable = {}) => ({
  path: `/v1/runs/{run_id}${path}`,
  params: { run_id: runId },
  signal,
})

const progressOf = ({ done, total, message }: Progress): Progress => ({ done, total, message })
