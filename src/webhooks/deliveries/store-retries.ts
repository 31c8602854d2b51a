/**
 * Repeats what one endpoint needs from the stores while one of them is unavailable.
 *
 * @module
 */
import { retry } from '../../async/retry.ts'
import type { Webhook } from '../../domain/webhook.ts'
import { isUnavailable } from '../../log/event-log.ts'
import type { Logger } from '../../logger.ts'

/** Delays between retries of operations on stores. */
export const WAITS = { firstMs: 250, longestMs: 5000 }

export class StoreRetries {
  /** @param webhook the endpoint's current state @param signal stops the retries */
  constructor(
    private readonly webhook: () => Webhook,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {}

  /** @returns the result of `act`; undefined when the endpoint was stopped, or after another failure */
  async run<T>(act: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this
    const onRetry = (error: unknown) => this.failed(error)
    try {
      return await retry(act, { ...WAITS, when: isUnavailable, signal, onRetry })
    } catch (error) {
      if (!signal.aborted) this.failed(error)
      return undefined
    }
  }

  /** Logs a failure. */
  failed(err: unknown): void {
    const { webhookId, host } = this.webhook()
    this.logger.warn({ err, webhook: webhookId, host }, 'The webhook is waiting for a store.')
  }
}
