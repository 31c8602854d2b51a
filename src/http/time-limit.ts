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

/** The limit of all requests to a process. */
export class TimeLimit {
  /** What each request does at a beat. */
  private readonly running = new Set<() => void>()
  private end: (() => void) | undefined

  /** @param beats a timer by default */
  constructor(private readonly beats: Beats = timer) {}

  /**
   * What `work` resolves to, within the time limit. Work that misses it goes on, and its outcome is ignored.
   *
   * @throws {StoreUnavailable} when the time is up
   */
  async hold<T>(work: (timed: Timed) => Promise<T>): Promise<T> {
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
    this.running.add(beat)
    this.end ??= this.beats(BEAT_MS, () => this.beat())
    try {
      return await Promise.race([work(timed), late.promise])
    } finally {
      this.running.delete(beat)
    }
  }

  private beat(): void {
    for (const beat of this.running) beat()
    if (this.running.size > 0) return
    this.end?.()
    this.end = undefined
  }
}

const timer: Beats = (ms, beat) => {
  const beating = setInterval(beat, ms)
  beating.unref()
  return () => clearInterval(beating)
}
