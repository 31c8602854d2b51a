/**
 * How long stores may keep a request waiting, over all its calls. The time is counted in ticks of this process, so that a
 * pause of the process itself, which is no store's fault, does not fail a request that was about to be answered.
 *
 * @module
 */
import { clearInterval, setInterval } from '../async/timers.ts'
import { StoreUnavailable } from '../log/event-log.ts'

/** A request is answered within two seconds; the rest is for the network. */
const LIMIT_MS = 1700
const BEAT_MS = 100

/** The time of one request. */
export type Timed = {
  /** Called before something begins. @throws {StoreUnavailable} when the time is up and the answer has been sent */
  check(): void
  /**
   * Waits for something that may take longer, such as the client, the end of a run, or a large result or file, whose store
   * has limits of its own. Nothing is counted meanwhile, and the count starts anew afterwards.
   */
  except<T>(waited: Promise<T>): Promise<T>
}

/** For requests without a limit. */
export const UNTIMED: Timed = { check() {}, except: (waited) => waited }

/** Calls back every so many milliseconds; returns a function that stops it. */
export type Beats = (ms: number, beat: () => void) => () => void

/**
 * What `work` resolves to, within the time limit. Work that misses it goes on, and its outcome is ignored.
 *
 * @throws {StoreUnavailable} when the time is up
 */
export type TimeLimit = <T>(work: (time: Timed) => Promise<T>) => Promise<T>

/** For stores that keep nobody waiting. */
export const unlimited: TimeLimit = (work) => work(UNTIMED)

/** The limit of requests whose stores are on a network. @param beats a timer by default */
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
