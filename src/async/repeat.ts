/**
 * Sweeps repeat at intervals: they reconcile runs, and delete expired data and data that crashes left in the stores other
 * than the log. Each sweep has its own loop, so a long sweep does not delay the others.
 *
 * @module
 */
import type { Logger } from '../logger.ts'
import { delay } from './delay.ts'

export type Sweep = {
  /** from the end of one sweep to the start of the next, in milliseconds */
  readonly everyMs: number
  /** @param signal ends the sweep early @throws {StoreUnavailable} */
  readonly sweep: (signal: AbortSignal) => Promise<unknown>
  /** the log line for a failure; the sweep is retried after a minute at most */
  readonly failure: string
}

export const SECOND_MS = 1000
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS

export class Sweeper {
  private readonly stopped = new AbortController()
  private running: Promise<unknown> | undefined

  constructor(
    private readonly sweeps: readonly Sweep[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.running ??= Promise.all(this.sweeps.map((sweep) => this.loop(sweep)))
  }

  /** Ends the sweeps that are under way. */
  async stop(): Promise<void> {
    this.stopped.abort()
    await this.running
  }

  private async loop({ everyMs, sweep, failure }: Sweep): Promise<void> {
    const { signal } = this.stopped
    while (!signal.aborted) {
      let waitMs = everyMs
      try {
        await sweep(signal)
      } catch (err) {
        this.logger.error({ err }, failure)
        waitMs = Math.min(everyMs, MINUTE_MS)
      }
      await delay(waitMs, signal)
    }
  }
}
