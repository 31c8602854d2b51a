/**
 * Equality as in `bun:test`: by value; undefined fields count as missing.
 *
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

/** An asymmetric matcher: matches many values within an expected value. */
export class Matching {
  constructor(
    readonly words: string,
    readonly matches: (actual: unknown) => boolean,
  ) {}

  /** How it is shown in the message of a failed match. */
  toJSON(): string {
    return this.words
  }
}

type Fields = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const isFields = (value: unknown): value is Fields =>
  isObject(value) && Object.prototype.toString.call(value) === '[object Object]'

/** @param part whether the actual value may have more fields, at every depth */
export function isEqual(actual: unknown, expected: unknown, part = false): boolean {
  if (expected instanceof Matching) return expected.matches(actual)
  if (Object.is(actual, expected)) return true
  if (Array.isArray(expected)) {
    const same = Array.isArray(actual) && actual.length === expected.length
    return same && expected.every((value, i) => isEqual(actual[i], value, part))
  }
  if (isFields(expected)) {
    // An error can be matched by its fields too.
    if (!isObject(actual) || Array.isArray(actual)) return false
    const names = new Set(part ? Object.keys(expected) : [...Object.keys(expected), ...Object.keys(actual)])
    return [...names].every((name) => isEqual(actual[name], expected[name], part))
  }
  if (expected instanceof Error) return actual instanceof Error && actual.message === expected.message
  return isDeepStrictEqual(actual, expected)
}
