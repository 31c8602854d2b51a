/**
 * The second part of an attempt: the run's result is stored and its end is written.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import { clock } from '../async/clock.ts'
import type { RunEnd } from '../domain/run.ts'
import { reasonOf } from '../process/reason.ts'
import { expiryOf, type Retention } from './expiry.ts'
import type { RunParts } from './run-parts.ts'

export type EndingDeps = Retention & { readonly artifacts: Pick<Artifacts, 'put'> }

/** How long a run that is being cancelled tries to store its result, in milliseconds. Then it ends without. */
const CANCELLED_MS = 3000

export class Ending {
  /** milliseconds of `clock.monotonic()` */
  private readonly claimedAt = clock.monotonic()

  /** @param onSent called with the append of the run's end as soon as it is sent */
  constructor(
    private readonly deps: EndingDeps,
    private readonly parts: RunParts,
    private readonly onSent: (written: Promise<unknown>) => void,
  ) {}

  /**
   * Ends the run, once. If the store stays unavailable, the run is left until its lease expires.
   *
   * @throws when even an end without a result can't be written
   */
  async write(end: RunEnd): Promise<void> {
    const { lease, login, collected, log } = this.parts
    let cancellingSince: number | undefined
    try {
      await lease.persist(async () => {
        if (lease.state.status === 'cancelling') cancellingSince ??= clock.monotonic()
        if (clock.monotonic() - (cancellingSince ?? Infinity) >= CANCELLED_MS) collected.clear()
        await this.append(await login.judge(end))
      })
    } catch (error) {
      // The collected result may be the reason for the failure, so the run ends without it.
      collected.clear()
      const defect = log.defect(reasonOf(error))
      await lease.persist(() => this.append(defect))
    }
  }

  private async append(judged: RunEnd): Promise<void> {
    const { charges, lease, collected, log, run, usage } = this.parts
    const { cost, end } = await charges.costOf(judged, collected.rest, (why) => log.defect(why))
    const { result, stored } = this.store(end)
    // A refused command never awaits it.
    stored?.catch(() => {})
    const { progress, fill } = collected
    const ms = Math.round(clock.monotonic() - this.claimedAt)
    const complete: RunEnd = { ...end, ...cost, result, progress, ms, fill, usage: usage.total }
    const command = { type: 'finish', attempt: run.attempt, end: complete } as const
    await lease.handle(command, { after: [stored], onSent: this.onSent })
  }

  /** Stores the items and files of the run, if any. A cancelled run's result counts as partial, even if it is complete. */
  private store({ status, detail }: RunEnd) {
    const { collected, lease, run, task } = this.parts
    const isComplete = status === 'succeeded' && lease.state.status !== 'cancelling'
    const body = collected.result(isComplete, detail || null, task?.declaration)
    if (body === undefined) return {}
    const { artifacts } = this.deps
    const { done, ref, bytes, sha256 } = artifacts.put(run.runId, 'result', body, expiryOf(this.deps))
    const result = { ref, bytes, sha256, item_count: collected.count, partial: !isComplete }
    return { result, stored: done }
  }
}
