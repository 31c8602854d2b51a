/**
 * What keeps on failing is told once in the log, until all is well again.
 *
 * @module
 */
import type { Logger } from '../../../logger.ts'

export class Trouble {
  private isKnown = false

  constructor(private readonly logger: Logger) {}

  /** Something that is tried again has failed. */
  failed(err: unknown, words: string): void {
    this.logger[this.isKnown ? 'debug' : 'warn']({ err }, words)
    this.isKnown = true
  }

  /** Does something whose failure is nobody's but the log's. */
  guarded(words: string, work: () => void): void {
    try {
      work()
    } catch (err) {
      this.failed(err, words)
    }
  }

  /** It works. */
  well(): void {
    this.isKnown = false
  }
}
