/**
 * The clock of the program. No other module asks the system for the time, so a simulation can replace the clock
 * (rigs/simulation). test/architecture/seams.test.ts enforces this.
 *
 * @module
 */

export type Clock = {
  /** Milliseconds since 1970. The system may set it forward or back. */
  now(): number
  /** Milliseconds since an arbitrary moment. Corrections of the system's time do not affect it. */
  monotonic(): number
}

const system: Clock = { now: () => Date.now(), monotonic: () => performance.now() }
let current = system

/** The functions do not use `this`, so `clock.now` can be passed as a callback. */
export const clock: Clock = { now: () => current.now(), monotonic: () => current.monotonic() }

/** A time as responses show it: RFC 3339 in UTC. @param ms milliseconds since 1970; null without a time */
export const timestamp = (ms: number | null | undefined): string | null =>
  ms == null ? null : new Date(ms).toISOString()

/** Replaces the clock of the program. @param other the system's clock by default */
export function replaceClock(other: Clock = system): void {
  current = other
}
