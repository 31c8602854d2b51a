/**
 * The program's only access to the system's randomness, so that a simulation can repeat a run from its seed
 * (rigs/simulation). test/architecture/seams.test.ts enforces this.
 *
 * @module
 */
import crypto from 'node:crypto'

const system = {
  randomBytes: (size: number): Buffer => crypto.randomBytes(size),
  randomUUID: (): string => crypto.randomUUID(),
  randomInt: (below: number): number => crypto.randomInt(below),
  random: (): number => Math.random(),
}
export type Randomness = typeof system
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
