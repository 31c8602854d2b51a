/**
 * Runs as they are right now: folded from their own streams, so that a run can be read in the very request after the
 * one that changed it, on every node. A run is kept as it was last seen, and only what its stream has behind that is read;
 * an ended one never changes again, and its answer is kept as well.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { type AccountId, type EventId, type RunId, runStream } from '../domain/ids.ts'
import { type AdmittedRun, isAdmitted, type RunState } from '../domain/run.ts'
import type { EventLog, Position } from '../log/event-log.ts'
import { foldFrom, type Loaded } from '../log/execute.ts'
import { runFold } from '../log/folds.ts'
import type { Json } from './result.ts'
import { keptUntil, type RunResult, renderRun, resultOf } from './run-object.ts'

type Rendered = { readonly accountId: AccountId; readonly json: Json; readonly until: number }

/** A run as its stream makes it, and where the stream's last event stands; null without one. */
export type Seen<State extends RunState = RunState> = Loaded<State> & { readonly position: Position | null }

/** Runs kept in memory as they were last seen: about so many, of a kilobyte or two each. */
const SEEN_RUNS = 2048
/** Answers kept in memory: at most so many characters or bytes in all, and none larger than a sixteenth of that. */
const CACHE_LENGTH = 16 * 1024 * 1024

const NOTHING: Loaded<RunState> = { state: runFold.initial, revision: -1 }

export class Runs {
  private rendered = new BoundedCache<RunId, Rendered>(CACHE_LENGTH)
  private readonly seen = new BoundedCache<RunId, { readonly run: Seen; readonly lastId: EventId }>(SEEN_RUNS)

  constructor(
    private readonly log: EventLog,
    private readonly artifacts: Artifacts,
    private readonly retentionDays: number,
    private readonly now: () => number,
  ) {}

  /** A run, or what its id stands for without one. What it costs does not grow with the run's age. */
  async load(id: RunId): Promise<Seen> {
    const seen = this.seen.get(id)
    const events = await this.log.readStream(runStream(id), seen?.run.revision)
    const last = events.at(-1)
    // The event that was the last one comes along: where it is another one, or none, the log was set back.
    if (seen && events[0]?.id !== seen.lastId) {
      this.seen.delete(id)
      return this.load(id)
    }
    const { state, revision } = foldFrom(runFold, seen?.run ?? NOTHING, events)
    const run = { state, revision, position: last?.position ?? null }
    if (last && isAdmitted(state)) this.seen.set(id, { run, lastId: last.id })
    return run
  }

  /** An account's run; undefined for an unknown one and for one of another account. */
  async find(id: RunId, account: AccountId): Promise<Seen<AdmittedRun> | undefined> {
    const { state, ...rest } = await this.load(id)
    return isAdmitted(state) && state.accountId === account ? { state, ...rest } : undefined
  }

  /** The run object of an ended run if it is in memory: no waiting, no reading. */
  remembered(id: RunId, account: AccountId): Json | undefined {
    const known = this.rendered.get(id)
    if (!known || known.accountId !== account || this.now() >= known.until) return undefined
    return known.json
  }

  /** Nothing that was read before counts any more: the log was set back or replaced. */
  forget(): void {
    this.rendered = new BoundedCache(CACHE_LENGTH)
    this.seen.clear()
  }

  result(run: AdmittedRun): Promise<RunResult> {
    return resultOf(run, this.artifacts, this.now(), this.retentionDays)
  }

  /** The run object. */
  async render(run: AdmittedRun): Promise<Json> {
    // What is being rendered while the log is replaced is remembered where nobody looks any more.
    const { rendered } = this
    const json = renderRun(run, await this.result(run))
    const until = keptUntil(run, this.retentionDays)
    const isKept = until !== null && until > this.now() && json.length <= CACHE_LENGTH / 16
    if (isKept && !rendered.get(run.runId))
      rendered.set(run.runId, { accountId: run.accountId, json, until }, json.length)
    return json
  }
}
