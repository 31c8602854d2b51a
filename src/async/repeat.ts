/**
 * Actions that repeat at intervals. Each has its own loop, so a long one does not delay the others.
 *
 * @module
 */
import type { Logger } from '../logger.ts'
import { delay } from './delay.ts'

export type Repeated = {
  /** from the end of one round to the start of the next, in milliseconds */
  readonly everyMs: number
  /** @param signal ends the round early */
  readonly act: (signal: AbortSignal) => Promise<unknown>
  /** the log line for a round that throws; the next one follows after a minute at most */
  readonly failure: string
}

export const SECOND_MS = 1000
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS

export class Repeater {
  private readonly stopped = new AbortController()
  private running: Promise<unknown> | undefined

  constructor(
    private readonly actions: readonly Repeated[],
    private readonly logger: Logger,
  ) {}

  /** Begins the first round of each action at once. */
  start(): void {
    this.running ??= Promise.all(this.actions.map((action) => this.loop(action)))
  }

  /** Ends the rounds that are under way. */
  async stop(): Promise<void> {
    this.stopped.abort()
    await this.running
  }

  private async loop({ everyMs, act, failure }: Repeated): Promise<void> {
    const { signal } = this.stopped
    while (!signal.aborted) {
      let waitMs = everyMs
      try {
        await act(signal)
      } catch (err) {
        this.logger.error({ err }, failure)
        waitMs = Math.min(everyMs, MINUTE_MS)
      }
      await delay(waitMs, signal)
    }
  }
}
