/**
 * The timers of the program, under the names that they have everywhere: the only place that asks the system for them, so
 * that a simulation can give it others (test/simulation). test/architecture/seams.test.ts holds the code to it.
 *
 * @module
 */
import timers from 'node:timers'

/** What the functions that set a timer return, to be given to those that clear it. */
export type Timer = {
  /** Lets the process end while the timer runs. */
  unref(): Timer
  /** Begins its time anew. */
  refresh(): Timer
}

type Act = () => void

export type Timers = {
  setTimeout(act: Act, ms: number): Timer
  clearTimeout(timer: Timer): void
  setInterval(act: Act, ms: number): Timer
  clearInterval(timer: Timer): void
  setImmediate(act: Act): void
}

const system: Timers = {
  setTimeout: (act, ms) => timers.setTimeout(act, ms),
  clearTimeout: (timer) => timers.clearTimeout(timer as NodeJS.Timeout),
  setInterval: (act, ms) => timers.setInterval(act, ms),
  clearInterval: (timer) => timers.clearInterval(timer as NodeJS.Timeout),
  setImmediate: (act) => void timers.setImmediate(act),
}
let current = system

/** Calls `act` once, after a time in milliseconds. */
export const setTimeout = (act: Act, ms: number): Timer => current.setTimeout(act, ms)
/** Clears a timer, if there is one and it has not fired. */
export const clearTimeout = (timer: Timer | undefined): void => timer && current.clearTimeout(timer)
/** Calls `act` again and again, each time after so many milliseconds. */
export const setInterval = (act: Act, ms: number): Timer => current.setInterval(act, ms)
/** Clears such a timer, if there is one. */
export const clearInterval = (timer: Timer | undefined): void => timer && current.clearInterval(timer)
/** Calls `act` when other work has had its turn of the event loop. */
export const setImmediate = (act: Act): void => current.setImmediate(act)

/** A signal that aborts with a `TimeoutError` after a time in milliseconds; it keeps no process alive. */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DOMException('The time is up.', 'TimeoutError')), ms).unref()
  return controller.signal
}

/** Gives the program other timers. @param other the system's by default */
export function replaceTimers(other: Timers = system): void {
  current = other
}
