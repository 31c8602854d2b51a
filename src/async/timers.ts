/**
 * The timers of the program, under their standard names. No other module uses the system's timers, so a simulation can
 * replace them (rigs/simulation). test/architecture/seams.test.ts enforces this.
 *
 * @module
 */
import timers from 'node:timers'

/** A handle of a timer, for the functions that clear it. */
export type Timer = {
  /** Lets the process end while the timer runs. */
  unref(): Timer
  /** Restarts the timer. */
  refresh(): Timer
}

type Act = () => void

const system = {
  setTimeout: (act: Act, ms: number): Timer => timers.setTimeout(act, ms),
  clearTimeout: (timer: Timer): void => timers.clearTimeout(timer as NodeJS.Timeout),
  setInterval: (act: Act, ms: number): Timer => timers.setInterval(act, ms),
  clearInterval: (timer: Timer): void => timers.clearInterval(timer as NodeJS.Timeout),
  setImmediate: (act: Act): void => void timers.setImmediate(act),
}
export type Timers = typeof system
let current = system

/** Calls `act` once, after a time in milliseconds. */
export const setTimeout = (act: Act, ms: number): Timer => current.setTimeout(act, ms)
/** Clears a timer that has not fired. Does nothing for undefined. */
export const clearTimeout = (timer: Timer | undefined): void => timer && current.clearTimeout(timer)
/** Calls `act` repeatedly, each time after `ms` milliseconds. */
export const setInterval = (act: Act, ms: number): Timer => current.setInterval(act, ms)
/** Clears a repeating timer. Does nothing for undefined. */
export const clearInterval = (timer: Timer | undefined): void => timer && current.clearInterval(timer)
/** Calls `act` after other work has had a turn of the event loop. */
export const setImmediate = (act: Act): void => current.setImmediate(act)

/** A signal that aborts with a `TimeoutError` after a time in milliseconds. It does not keep the process alive. */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DOMException('The time is up.', 'TimeoutError')), ms).unref()
  return controller.signal
}

/** Replaces the timers of the program. @param other the system's timers by default */
export function replaceTimers(other: Timers = system): void {
  current = other
}
