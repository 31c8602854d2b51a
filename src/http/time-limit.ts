/**
 * How long stores may keep a request waiting, over all its calls. The time is counted in ticks of this process, so that a
 * pause of the process itself, which is no store's fault, does not fail a request that was about to be answered.
 *
 * @module
 */
import { clearInterval, setInterval } from 'node:timers'
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
  private readonly running = new Set<Running>()
  private end: (() => void) | undefined

  /** @param beats a timer by default */
  constructor(private readonly beats: Beats = timer) {}

  /**
   * What `work` resolves to, within the time limit. Work that misses it goes on, and its outcome is ignored.
   *
   * @throws {StoreUnavailable} when the time is up
   */
  async hold<T>(work: (timed: Timed) => Promise<T>): Promise<T> {
    const running = new Running()
    this.running.add(running)
    this.end ??= this.beats(BEAT_MS, () => this.beat())
    try {
      return await Promise.race([work(running), running.late])
    } finally {
      this.running.delete(running)
    }
  }

  private beat(): void {
    for (const running of this.running) running.beat()
    if (this.running.size > 0) return
    this.end?.()
    this.end = undefined
  }
}

class Running implements Timed {
  readonly late: Promise<never>
  private left = LIMIT_MS
  private excepted = 0
  private readonly giveUp: (error: StoreUnavailable) => void
  private failure: StoreUnavailable | undefined

  constructor() {
    const { promise, reject } = Promise.withResolvers<never>()
    this.late = promise
    this.giveUp = reject
  }

  beat(): void {
    if (this.excepted > 0 || this.failure) return
    this.left -= BEAT_MS
    if (this.left > 0) return
    this.failure = new StoreUnavailable(`the stores did not answer a request within ${LIMIT_MS} ms`)
    this.giveUp(this.failure)
  }

  check(): void {
    if (this.failure) throw this.failure
  }

  async except<T>(waited: Promise<T>): Promise<T> {
    this.excepted++
    try {
      return await waited
    } finally {
      this.excepted--
      this.left = LIMIT_MS
    }
  }
}

const timer: Beats = (ms, beat) => {
  const beating = setInterval(beat, ms)
  beating.unref()
  return () => clearInterval(beating)
}
