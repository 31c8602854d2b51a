/**
 * The program's only access to the system's randomness, so that a simulation can repeat a run from its seed
 * (test/simulation). test/architecture/seams.test.ts enforces this.
 *
 * @module
 */
import crypto from 'node:crypto'

export type Randomness = {
  randomBytes(size: number): Buffer
  /** A UUID in lower case. */
  randomUUID(): string
  /** An integer from 0 up to but not including `below`. */
  randomInt(below: number): number
  /** A number from 0 up to but not including 1; not for secrets. */
  random(): number
}

const system: Randomness = {
  randomBytes: (size) => crypto.randomBytes(size),
  randomUUID: () => crypto.randomUUID(),
  randomInt: (below) => crypto.randomInt(below),
  random: () => Math.random(),
}
let current = system

/** Cryptographically secure random bytes. */
export const randomBytes = (size: number): Buffer => current.randomBytes(size)
/** A cryptographically secure version 4 UUID in lower case. */
export const randomUUID = (): string => current.randomUUID()
/** A cryptographically secure integer from 0 up to but not including `below`. */
export const randomInt = (below: number): number => current.randomInt(below)
/** A number from 0 up to but not including 1; not for secrets. */
export const random = (): number => current.random()

/** Replaces the program's source of randomness. @param other the system's by default */
export function replaceRandomness(other: Randomness = system): void {
  current = other
}
