import type { components, Tasks } from '../generated/api.d.ts'
import { GleanerError } from './errors.ts'

/** The key of a task. */
export type TaskKey = keyof Tasks & string
/** The input of a task. */
export type Input<K extends TaskKey> = Tasks[K]['input']
/** The result of a task: `items`, `next_cursor` and the task's other fields. */
export type Result<K extends TaskKey> = Tasks[K]['result']
/** One item of a task's result. */
export type Item<K extends TaskKey> = Result<K> extends { readonly items: readonly (infer I)[] } ? I : never

/** A run as the API returns it. `result` is null until the run ends, and `{ expired_at }` once it was deleted. */
export type RunData<K extends TaskKey = TaskKey> = Omit<
  components['schemas']['Run'],
  'task_key' | 'result'
> & {
  readonly task_key: K
  readonly result: Result<K> | { readonly expired_at: string } | null
}

/** A snapshot of a run, taken when it was requested. It never changes. In a list, `result` is null. */
export type Run<K extends TaskKey = TaskKey> = RunMethods<K> & Omit<RunData<K>, 'items'>
/** A run that has ended, whatever its outcome. */
export type EndedRun<K extends TaskKey = TaskKey> = Run<K>
/** A run that succeeded. */
export type SucceededRun<K extends TaskKey = TaskKey> = Run<K> & {
  readonly run_status: 'succeeded'
  readonly result: Result<K>
}
/** A run of any task. `task_key` determines its type. */
export type AnyRun = { [K in TaskKey]: Run<K> }[TaskKey]

export type Progress = components['schemas']['Run']['progress']

export type Abortable = {
  /** Aborts the call, which throws the reason of the signal. The run itself continues. */
  readonly signal?: AbortSignal | undefined
}
export type WaitOptions = Abortable & {
  /** Called when the run makes progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Polls the run: after 3 seconds, then twice as long each time up to 30 seconds, each ±10 %. By default the service
   * holds the response until the run ends.
   */
  readonly poll?: boolean | undefined
}

/** Any other status means that the run is in progress. */
const TERMINAL = new Set(['succeeded', 'failed', 'errored', 'cancelled', 'canceled', 'expired'])
export const isEnded = ({ run_status }: { readonly run_status: string }): boolean => TERMINAL.has(run_status)

export type ExportFormat = 'json' | 'ndjson' | 'csv'
type Event = components['schemas']['Event']

/** The calls behind the methods of a run. */
type RunCalls = {
  wait<K extends TaskKey>(runId: string, options?: WaitOptions): Promise<EndedRun<K>>
  events(runId: string, options?: Abortable & { readonly after?: string }): AsyncGenerator<Event, void>
  cancel<K extends TaskKey>(runId: string, options?: Abortable): Promise<Run<K>>
  itemsSoFar<K extends TaskKey>(runId: string, options?: Abortable): Promise<readonly Item<K>[]>
  exportEnded(runId: string, format: ExportFormat, options: Abortable): Promise<Response>
  download(runId: string, name: string, options?: Abortable): Promise<Response>
}

/** The methods of a run. */
export class RunMethods<K extends TaskKey = TaskKey> {
  declare readonly run_id: string
  declare readonly run_status: RunData['run_status']
  /** How many items the result has, also in a list and once the result was deleted; null without a result. */
  readonly item_count: number | null
  readonly #runs: RunCalls

  constructor(runs: RunCalls, { items, ...data }: RunData<K>) {
    this.#runs = runs
    this.item_count = items
    Object.assign(this, data)
  }

  /** Waits for the end of the run. @returns a new snapshot of the run, whatever its outcome */
  wait(options?: WaitOptions): Promise<EndedRun<K>> {
    return this.#runs.wait<K>(this.run_id, options)
  }

  /** Waits for the end, then yields the items. @throws {RunFailed} after the last item, if the run did not succeed */
  async *items(options?: WaitOptions): AsyncGenerator<Item<K>, void> {
    const self = this as unknown as Run<K>
    const isListed = self.item_count !== null && self.result === null
    const run = isEnded(self) && !isListed ? self : await this.wait(options)
    yield* itemsOf(run)
    succeeded(run)
  }

  /** The items so far, without waiting; all of them once the run has ended. They are read from the service. */
  itemsSoFar(options?: Abortable): Promise<readonly Item<K>[]> {
    return this.#runs.itemsSoFar<K>(this.run_id, options)
  }

  /** The events of the run up to its end, starting at the first one or after the position `after`. */
  events(options?: Abortable & { readonly after?: string }): AsyncGenerator<Event, void> {
    return this.#runs.events(this.run_id, options)
  }

  /** Requests cancellation. @throws {GleanerError} `run-finished`, if the run ended before it could be cancelled */
  cancel(options?: Abortable): Promise<Run<K>> {
    return this.#runs.cancel<K>(this.run_id, options)
  }

  /** Waits for the end, then returns the items as `json`, `ndjson` or `csv`. Resumes when the connection breaks. */
  async export(format: ExportFormat, options: WaitOptions = {}): Promise<Response> {
    if (!isEnded(this)) await this.wait(options)
    return this.#runs.exportEnded(this.run_id, format, options)
  }

  /** Downloads a file of the run by its name in `artifacts`. Resumes when the connection breaks. */
  download(name: string, options?: Abortable): Promise<Response> {
    return this.#runs.download(this.run_id, name, options)
  }
}

/** A run ended, but did not succeed. `code` is the code of its `error`, or `cancelled`. */
export class RunFailed extends GleanerError {
  override readonly name = 'RunFailed'
  /** The run, with the items collected so far. */
  readonly run: EndedRun

  constructor(run: EndedRun) {
    const { error, run_id } = run
    const detail = error ? `${error.title} ${error.detail}` : `The run was ${run.run_status}.`
    super({ code: error?.code ?? run.run_status, detail, run_id })
    this.run = run
  }
}

function itemsOf<K extends TaskKey>({ result }: Run<K>): readonly Item<K>[] {
  return result !== null && 'items' in result
    ? (result.items as readonly unknown[] as readonly Item<K>[])
    : []
}

/** @throws {GleanerError} if the run did not succeed, or its result was deleted */
export function succeeded<K extends TaskKey>(run: Run<K>): SucceededRun<K> {
  const { run_id, run_status, result } = run
  if (run_status !== 'succeeded') throw new RunFailed(run as unknown as EndedRun)
  if (result !== null && 'items' in result) return run as SucceededRun<K>
  const detail =
    'The run succeeded, but its result has been deleted. Start a new run with a different idempotencyKey.'
  throw new GleanerError({ code: 'result-expired', detail, run_id })
}
