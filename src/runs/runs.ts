/**
 * The current state of runs, folded from their own streams: a read sees all earlier writes, on every node. The last
 * seen state of a run is cached, and only newer events of its stream are read. An ended run never changes again, so its
 * response is cached as well.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { type AccountId, type EventId, type RunId, runStream } from '../domain/ids.ts'
import { type AdmittedRun, isAdmitted, isEnded, type RunState, runDecider } from '../domain/run.ts'
import type { EventLog, Position } from '../log/event-log.ts'
import { foldFrom, type Loaded } from '../log/execute.ts'
import type { LiveItems } from './items/live-items.ts'
import { type ItemsPage, pageOf, type RunItems } from './items/page.ts'
import { NO_ITEMS } from './items/parts.ts'
import type { Json, ResultHead, ResultRest } from './result.ts'
import { Results } from './results.ts'
import { keptUntil, type RunResult, renderRun } from './run-object.ts'
import type { Titles } from './titles.ts'

type Rendered = { readonly accountId: AccountId; readonly text: string; readonly until: number }

/** A run folded from its stream, and the log position of the stream's last event; null for an empty stream. */
export type Seen<State extends RunState = RunState> = Loaded<State> & { readonly position: Position | null }

/** The number of runs cached in their last seen state, of a kilobyte or two each. */
const SEEN_RUNS = 2048
/** The total size of cached responses, in characters. Those with long results are not cached. */
const CACHE_LENGTH = 16 * 1024 * 1024

const NOTHING: Loaded<RunState> = { state: runDecider.initial, revision: -1 }

export class Runs {
  private rendered = new BoundedCache<RunId, Rendered>(CACHE_LENGTH)
  private readonly seen = new BoundedCache<RunId, { readonly run: Seen; readonly lastId: EventId }>(SEEN_RUNS)

  private readonly results: Results

  constructor(
    private readonly log: EventLog,
    artifacts: Artifacts,
    private readonly titles: Titles,
    private readonly liveItems: LiveItems,
    private readonly retentionDays: number,
    private readonly now: () => number,
  ) {
    this.results = new Results(artifacts, retentionDays, now)
  }

  /** The state of a run id, with or without a run. The cost does not grow with the run's age. */
  async load(id: RunId): Promise<Seen> {
    const seen = this.seen.get(id)
    const events = await this.log.readStream(runStream(id), seen?.run.revision)
    const last = events.at(-1)
    // The read starts at the last known event. If that event differs or is missing, the log was set back.
    if (seen && events[0]?.id !== seen.lastId) {
      this.seen.delete(id)
      return this.load(id)
    }
    const { state, revision } = foldFrom(runDecider, seen?.run ?? NOTHING, events)
    const run = { state, revision, position: last?.position ?? null }
    if (last && isAdmitted(state)) this.seen.set(id, { run, lastId: last.id })
    return run
  }

  /** An account's run; undefined for an unknown run and for another account's run. */
  async find(id: RunId, account: AccountId): Promise<Seen<AdmittedRun> | undefined> {
    const { state, ...rest } = await this.load(id)
    return isAdmitted(state) && state.accountId === account ? { state, ...rest } : undefined
  }

  /** The run object of an ended run if it is cached; never waits or reads. */
  remembered(id: RunId, account: AccountId): string | undefined {
    const known = this.rendered.get(id)
    if (!known || known.accountId !== account || this.now() >= known.until) return undefined
    return known.text
  }

  /** Discards everything read so far: the log was set back or replaced. */
  forget(): void {
    this.rendered = new BoundedCache(CACHE_LENGTH)
    this.seen.clear()
  }

  /** The result of a run: `null` without a result or before the end, `{"expired_at": …}` after its retention. */
  result(run: AdmittedRun): Promise<RunResult> {
    return this.results.of(run)
  }

  /** The items of a run, to be read in parts: all, or those so far while it works. None after their retention. */
  async items(run: AdmittedRun): Promise<RunItems> {
    if (!isEnded(run)) return (await this.liveItems.find(run)) ?? { ...NO_ITEMS, total: 0, isFinal: false }
    const stored = await this.results.open(run)
    const total = (stored && run.result?.item_count) ?? 0
    return { ...(stored?.items ?? NO_ITEMS), total, isFinal: true }
  }

  /**
   * A page of a run's items: of all, or of those so far while it works. It ends early when its items exceed 2 MiB of
   * JSON. The other parts of the result are not read.
   *
   * @param from the number of items before the page
   * @param limit the largest number of items on the page
   */
  async itemsPage(run: AdmittedRun, from: number, limit: number): Promise<ItemsPage> {
    return pageOf(await this.items(run), from, limit)
  }

  /**
   * The fields of a run's result beside its items, like `next_cursor`, without reading the items. Empty without a result
   * or before the end, `{ expired_at }` after its retention.
   */
  resultRest(run: AdmittedRun): Promise<ResultRest> {
    return this.results.rest(run)
  }

  /** The head of a run's result: the names of its files, and the source's own message. Empty after its retention. */
  head(run: AdmittedRun): Promise<ResultHead> {
    return this.results.head(run)
  }

  /** The run object, in parts. */
  async render(run: AdmittedRun): Promise<readonly Json[]> {
    // If the log is replaced during rendering, the response goes into the discarded cache.
    const { rendered } = this
    const [title, result] = await Promise.all([this.titles.find(run), this.result(run)])
    const parts = renderRun(run, title ?? null, result)
    const until = keptUntil(run, this.retentionDays)
    const isFinal = title !== undefined && until !== null && until > this.now()
    if (!isFinal || !parts.every((part) => typeof part === 'string')) return parts
    const text = parts.join('')
    if (!rendered.get(run.runId))
      rendered.set(run.runId, { accountId: run.accountId, text, until }, text.length)
    return [text]
  }

  /** The run object as lists have it: its result is null. */
  async listed(run: AdmittedRun, title: string | null): Promise<string> {
    return renderRun(run, title, { head: await this.head(run), result: 'null' }).join('')
  }
}
