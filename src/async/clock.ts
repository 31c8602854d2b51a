/**
 * The clock of the program: the only place that asks the system for the time, so that a simulation can give it another
 * one (test/simulation). test/architecture/seams.test.ts holds the code to it.
 *
 * @module
 */

export type Clock = {
  /** Milliseconds since 1970. The system may set it forward or back. */
  now(): number
  /** Milliseconds since some moment, which no correction of the system's time changes. */
  monotonic(): number
}

const system: Clock = { now: () => Date.now(), monotonic: () => performance.now() }
let current = system

/** Functions without `this`: `clock.now` can be handed on. */
export const clock: Clock = { now: () => current.now(), monotonic: () => current.monotonic() }

/** Gives the program another clock. @param other the system's by default */
export function replaceClock(other: Clock = system): void {
  current = other
}
