import { GleanerError } from './errors.ts'

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 8000
/** Answers that say that nothing was done. */
const NOTHING_DONE = new Set(['rate-limited', 'shutting-down', 'idempotency-in-progress'])
/** The service, or what stands before it, cannot tell whether something was done. */
const MAYBE_DONE = new Set([502, 503, 504])

/** When a failed call is made again, and when no more. */
export class Retries {
  readonly #forS: number
  #since: number | undefined
  #tries = 0

  /** @param forS seconds from the first failure on, 0 for no retries */
  constructor(forS: number) {
    this.#forS = forS
  }

  /** The call got on: what fails from now on is a new outage. */
  reset(): void {
    this.#since = undefined
    this.#tries = 0
  }

  /**
   * Waits until the next try is due: as long as the service said, or twice as long each time.
   *
   * @param error that of the last try
   * @param repeatable whether the call may be made again though it is not known what it has done
   * @throws that error, when another try cannot help, may do something twice, or would be too late
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
    await sleep(askedMs ?? Math.min(backoffMs, leftMs), signal)
  }
}

function isPassing(error: unknown, repeatable: boolean): error is GleanerError {
  if (!(error instanceof GleanerError)) return false
  const { code, status = 0 } = error
  if (NOTHING_DONE.has(code) || status === 429) return true
  return repeatable && (code === 'connection-failed' || MAYBE_DONE.has(status))
}

/** Resolves after some milliseconds. @throws the signal's reason as soon as it aborts */
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
