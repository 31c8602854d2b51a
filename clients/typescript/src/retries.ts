import { GleanerError } from './errors.ts'

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 8000
/** Codes of problems that guarantee that the call had no effect. */
const NOTHING_DONE = new Set(['rate-limited', 'shutting-down', 'idempotency-in-progress'])
/** Statuses of the service, or of a proxy in front of it, that leave open whether the call took effect. */
const MAYBE_DONE = new Set([502, 503, 504])

/** Decides when to retry a failed call, and when to give up. */
export class Retries {
  readonly #forS: number
  #since: number | undefined
  #tries = 0

  /** @param forS how long to retry, in seconds from the first failure; 0 for no retries */
  constructor(forS: number) {
    this.#forS = forS
  }

  /** Records that the call made progress, so the next failure counts as the first one. */
  reset(): void {
    this.#since = undefined
    this.#tries = 0
  }

  /**
   * Waits until the next attempt is due: the delay that the service requested, or an exponential backoff if it is longer.
   *
   * @param error the error of the last attempt
   * @param repeatable whether to retry when it is unknown whether the call took effect
   * @throws the given error, if a retry cannot help, might take effect twice, or would be too late
   */
  async wait(error: unknown, repeatable: boolean, signal: AbortSignal | undefined): Promise<void> {
    if (!isPassing(error, repeatable)) throw error
    const now = performance.now()
    this.#since ??= now
    const leftMs = this.#since + this.#forS * 1000 - now
    const askedMs = error.retry_after_s === undefined ? undefined : error.retry_after_s * 1000
    const backoffMs =
      Math.min(FIRST_WAIT_MS * 2 ** this.#tries++, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2)
    if (leftMs <= 0 || (askedMs !== undefined && askedMs > leftMs)) throw error
    // Some proxies ask for no delay at all: calls would follow each other without a pause.
    await sleep(Math.max(askedMs ?? 0, Math.min(backoffMs, leftMs)), signal)
  }
}

function isPassing(error: unknown, repeatable: boolean): error is GleanerError {
  if (!(error instanceof GleanerError)) return false
  const { code, status = 0 } = error
  if (NOTHING_DONE.has(code) || status === 429) return true
  return repeatable && (code === 'connection-failed' || MAYBE_DONE.has(status))
}

/** Resolves after `ms` milliseconds. @throws the signal's reason as soon as it aborts */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
