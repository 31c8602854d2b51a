/**
 * The randomness of the program: the only place that asks the system for it, so that a simulation can repeat a run by its
 * seed (test/simulation). test/architecture/seams.test.ts holds the code to it.
 *
 * @module
 */
import crypto from 'node:crypto'

export type Randomness = {
  randomBytes(size: number): Buffer
  /** A UUID in lower case. */
  randomUUID(): string
  /** A whole number from 0 to `below`, without it. */
  randomInt(below: number): number
  /** A number from 0 to 1, without 1; not for secrets. */
  random(): number
}

const system: Randomness = {
  randomBytes: (size) => crypto.randomBytes(size),
  randomUUID: () => crypto.randomUUID(),
  randomInt: (below) => crypto.randomInt(below),
  random: () => Math.random(),
}
let current = system

/** Bytes that nobody can guess. */
export const randomBytes = (size: number): Buffer => current.randomBytes(size)
/** A UUID of version 4 in lower case that nobody can guess. */
export const randomUUID = (): string => current.randomUUID()
/** A whole number from 0 to `below`, without it, that nobody can guess. */
export const randomInt = (below: number): number => current.randomInt(below)
/** A number from 0 to 1, without 1; not for secrets. */
export const random = (): number => current.random()

/** Gives the program another randomness. @param other the system's by default */
export function replaceRandomness(other: Randomness = system): void {
  current = other
}
