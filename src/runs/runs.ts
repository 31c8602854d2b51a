/**
 * Runs as they are right now: folded from their own streams, which are short, so that a run can be read in the very
 * request after the one that changed it, on every node. Ended runs never change again and are kept in memory.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import { type AccountId, type RunId, runStream } from '../domain/ids.ts'
import { type AdmittedRun, isAdmitted, isEnded, type RunState } from '../domain/run.ts'
import type { EventLog } from '../log/event-log.ts'
import { type Loaded, load } from '../log/execute.ts'
import { runFold } from '../log/folds.ts'
import { Recent } from '../recent.ts'
import type { Json } from './result.ts'
import { keptUntil, type RunResult, renderRun, resultOf } from './view.ts'

type Rendered = { readonly accountId: AccountId; readonly json: Json; readonly until: number }

/** Answers kept in memory: at most so many characters or bytes in all, and none larger than a sixteenth of that. */
const CACHE_LENGTH = 16 * 1024 * 1024

export class Runs {
  private readonly rendered = new Recent<RunId, Rendered>(CACHE_LENGTH)

  constructor(
    private readonly log: EventLog,
    private readonly artifacts: Artifacts,
    private readonly retentionDays: number,
    private readonly now: () => number,
  ) {}

  load(id: RunId): Promise<Loaded<RunState>> {
    return load(this.log, runStream(id), runFold)
  }

  /** An account's run; undefined for an unknown one and for one of another account. */
  async find(id: RunId, account: AccountId): Promise<AdmittedRun | undefined> {
    const { state } = await this.load(id)
    return isAdmitted(state) && state.accountId === account ? state : undefined
  }

  /** The run object of an ended run if it is in memory: no waiting, no reading. */
  remembered(id: RunId, account: AccountId): Json | undefined {
    const known = this.rendered.get(id)
    if (!known || known.accountId !== account || this.now() >= known.until) return undefined
    return known.json
  }

  result(run: AdmittedRun): Promise<RunResult> {
    return resultOf(run, this.artifacts, this.now(), this.retentionDays)
  }

  /** The run object. */
  async render(run: AdmittedRun): Promise<Json> {
    const json = renderRun(run, await this.result(run))
    if (isEnded(run)) this.remember(run, json)
    return json
  }

  private remember(run: AdmittedRun, json: Json): void {
    const until = keptUntil(run, this.retentionDays)
    if (
      until === null ||
      until <= this.now() ||
      json.length > CACHE_LENGTH / 16 ||
      this.rendered.get(run.runId)
    )
      return
    this.rendered.set(run.runId, { accountId: run.accountId, json, until }, json.length)
  }
}
