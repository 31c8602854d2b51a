/**
 * A turn in the rate limiter, for requests of the service itself.
 *
 * @module
 */
import { unlessAborted } from '../async/abort.ts'
import { SourceError } from '../plugin/errors.ts'
import type { PacedSource } from './pace.ts'
import type { RateLimiter, Release } from './rate-limiter.ts'

export type TurnOptions = {
  readonly source: PacedSource
  /** accounts take turns */
  readonly account: string
  /** how much time is left, in milliseconds: a longer pause of the host is not awaited */
  readonly leftMs: number
}

/**
 * Waits until a request to a host may start.
 *
 * @throws {SourceError} when the host asked for a pause
 * @throws the signal's reason
 */
export async function turn(
  rateLimiter: RateLimiter,
  { source, account, leftMs }: TurnOptions,
  host: string,
  stop: AbortSignal,
): Promise<Release> {
  let release: Release = () => {}
  try {
    const waiting = new Promise<boolean>((go) => {
      release = rateLimiter.ask(source, host, account, leftMs, go)
    })
    const isPaused = await unlessAborted(stop, waiting)
    if (isPaused) throw new SourceError('source-rate-limited', 'the source asked to retry later')
    return release
  } catch (error) {
    release(0)
    throw error
  }
}
