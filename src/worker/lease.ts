/**
 * The lease by which a worker holds a run: renewed every third of it, with how far the run is. In between it tells how
 * far the run is at most every ten seconds, however often the task says so: each time is an event in the run's stream
 * for ever, and so a stream has at most one for each ten seconds or third of a lease of the run's limit, and one for
 * each attempt and each paid block besides.
 *
 * @module
 */
import type { HeldRun, Progress } from '../domain/run.ts'
import type { Logger } from '../logger.ts'
import { RunRefused } from '../runs/commands.ts'
import type { Held } from './held.ts'

export type LeaseDeps = { readonly logger: Logger; readonly now: () => number; readonly leaseS: number }

/** What a renewal tells of the run, and who hears that it was refused. */
export type Holder = {
  progress(): Progress
  /** credits charged in all, when blocks of its price were */
  charged(): number | undefined
  lost(why: string): void
}

/** Between two times that a run's progress is told, in milliseconds. */
const PROGRESS_EVERY_MS = 10_000

export class Lease {
  private readonly ms: number
  private renewAt: number
  /** when progress was told last, in milliseconds since 1970; long ago before the first time, which is told at once */
  private toldAt = 0
  private renewing = false

  constructor(
    private readonly deps: LeaseDeps,
    private readonly held: Held,
    private readonly run: HeldRun,
    private readonly holder: Holder,
  ) {
    this.ms = deps.leaseS * 1000
    this.renewAt = deps.now() + this.ms / 3
  }

  /** Whether another worker may soon take the run. */
  isAboutToEnd(now: number): boolean {
    return now >= this.held.leaseUntil - this.ms / 6
  }

  /** There is something to tell, as soon as progress may be told again. */
  tellSoon(): void {
    this.renewAt = Math.min(this.renewAt, this.toldAt + PROGRESS_EVERY_MS)
  }

  /** There is something that the run must show at once. */
  tellNow(): void {
    this.renewAt = 0
  }

  /** To be called several times in a third of a lease. */
  tick(now: number): void {
    if (now >= this.renewAt && !this.renewing) void this.renew(now)
  }

  private async renew(now: number): Promise<void> {
    const { leaseS, logger } = this.deps
    this.renewing = true
    this.renewAt = now + this.ms / 3
    this.toldAt = now
    const charged = this.holder.charged()
    const command = {
      type: 'progress',
      attempt: this.run.attempt,
      now,
      leaseS,
      progress: this.holder.progress(),
      ...(charged === undefined ? {} : { charged }),
    } as const
    try {
      await this.held.give(command)
    } catch (error) {
      if (error instanceof RunRefused) this.holder.lost(error.message)
      else {
        logger.warn({ err: error, run_id: this.run.runId }, 'a lease could not be renewed yet')
        this.renewAt = now + Math.min(1000, this.ms / 12)
      }
    } finally {
      this.renewing = false
    }
  }
}
