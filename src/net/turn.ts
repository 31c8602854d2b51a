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
  /** a longer pause of the host is not awaited, in milliseconds. The turn itself may come later: the signal ends that */
  readonly longestPauseMs: number
}

/**
 * Waits until a request to a host may start.
 *
 * @throws {SourceError} when the host asked for a longer pause, before or while this waits
 * @throws the signal's reason
 */
export async function turn(
  rateLimiter: RateLimiter,
  { source, account, longestPauseMs }: TurnOptions,
  host: string,
  stop: AbortSignal,
): Promise<Release> {
  let release: Release = () => {}
  try {
    const waiting = new Promise<boolean>((go) => {
      const onPause = (ms: number) => void (ms > longestPauseMs && go(true))
      release = rateLimiter.ask(source, host, account, Number.POSITIVE_INFINITY, go, onPause)
    })
    const isPaused = await unlessAborted(stop, waiting)
    if (isPaused) throw new SourceError('source-rate-limited', 'the source asked to retry later')
    return release
  } catch (error) {
    release(0)
    throw error
  }
}
