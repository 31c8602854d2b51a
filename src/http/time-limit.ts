/**
 * Limits the total time that a request waits for stores. The time is counted in timer ticks of this process. A pause of
 * the process itself is not a store's fault, and does not fail a request that was about to be answered.
 *
 * @module
 */
import { clearInterval, setInterval } from '../async/timers.ts'
import { StoreUnavailable } from '../log/event-log.ts'

/** A request is answered within two seconds; the remaining time is for the network. */
const LIMIT_MS = 1700
const BEAT_MS = 100

/** The time of one request. */
export type Timed = {
  /** Called before an operation starts. @throws {StoreUnavailable} if the time is up and the answer has been sent */
  check(): void
  /**
   * Waits for something that may take longer: the client, the end of a run, or a large result or file, whose store has
   * its own limits. The clock is stopped during the wait and restarts from zero afterwards.
   */
  except<T>(waited: Promise<T>): Promise<T>
}

/** For requests without a limit. */
export const UNTIMED: Timed = { check() {}, except: (waited) => waited }

/** Calls `beat` every `ms` milliseconds. Returns a function that stops it. */
export type Beats = (ms: number, beat: () => void) => () => void

/**
 * Runs `work` within the time limit. Work that exceeds the limit continues, but its outcome is ignored.
 *
 * @throws {StoreUnavailable} if the time is up
 */
export type TimeLimit = <T>(work: (time: Timed) => Promise<T>) => Promise<T>

/** For embedded stores, which need no limit. */
export const unlimited: TimeLimit = (work) => work(UNTIMED)

/** The limit for requests whose stores are on a network. @param beats a timer by default */
export const timeLimit =
  (beats: Beats = timer): TimeLimit =>
  async (work) => {
    const late = Promise.withResolvers<never>()
    let failure: StoreUnavailable | undefined
    let left = LIMIT_MS
    let excepted = 0
    const beat = () => {
      if (excepted > 0 || failure) return
      left -= BEAT_MS
      if (left > 0) return
      failure = new StoreUnavailable(`the stores did not answer a request within ${LIMIT_MS} ms`)
      late.reject(failure)
    }
    const timed: Timed = {
      check() {
        if (failure) throw failure
      },
      async except(waited) {
        excepted++
        try {
          return await waited
        } finally {
          excepted--
          left = LIMIT_MS
        }
      },
    }
    const end = beats(BEAT_MS, beat)
    try {
      return await Promise.race([work(timed), late.promise])
    } finally {
      end()
    }
  }

const timer: Beats = (ms, beat) => {
  const beating = setInterval(beat, ms)
  beating.unref()
  return () => clearInterval(beating)
}
