/**
 * The part of `expect` that the contract suites use. An unknown matcher is an error, so that no test passes without
 * checking.
 *
 * @module
 */
import { inspect } from 'node:util'
import { isEqual, Matching } from './equal.ts'

type Check = (actual: never, ...expected: never[]) => boolean

const CHECKS: Readonly<Record<string, Check>> = {
  toBe: (actual: unknown, expected: unknown) => Object.is(actual, expected),
  toEqual: (actual: unknown, expected: unknown) => isEqual(actual, expected),
  toMatchObject: (actual: unknown, expected: unknown) => isEqual(actual, expected, true),
  toBeDefined: (actual: unknown) => actual !== undefined,
  toBeUndefined: (actual: unknown) => actual === undefined,
  toBeNull: (actual: unknown) => actual === null,
  toBeTrue: (actual: unknown) => actual === true,
  toBeFalse: (actual: unknown) => actual === false,
  toBeGreaterThan: (actual: number, expected: number) => actual > expected,
  toBeGreaterThanOrEqual: (actual: number, expected: number) => actual >= expected,
  toBeLessThan: (actual: number, expected: number) => actual < expected,
  toBeLessThanOrEqual: (actual: number, expected: number) => actual <= expected,
  toBeInstanceOf: (actual: unknown, expected: new () => unknown) => actual instanceof expected,
  toHaveLength: (actual: { length: number }, expected: number) => actual.length === expected,
  toContain: (actual: string | Iterable<unknown>, expected: unknown) =>
    typeof actual === 'string' ? actual.includes(String(expected)) : [...actual].includes(expected),
  toContainEqual: (actual: Iterable<unknown>, expected: unknown) =>
    [...actual].some((value) => isEqual(value, expected)),
  toStartWith: (actual: string, expected: string) => actual.startsWith(expected),
  toEndWith: (actual: string, expected: string) => actual.endsWith(expected),
  toMatch: (actual: string, expected: RegExp | string) => says(actual, expected),
  toThrow: (actual: () => unknown, expected?: Thrown) => isThrown(thrownBy(actual), expected),
}

type Thrown = string | RegExp | (new (...args: never[]) => Error) | undefined

const says = (text: string, expected: RegExp | string): boolean =>
  typeof expected === 'string' ? text.includes(expected) : expected.test(text)

const NOTHING = Symbol('nothing')
function thrownBy(call: () => unknown): unknown {
  try {
    call()
    return NOTHING
  } catch (error) {
    return error
  }
}

function isThrown(error: unknown, expected: Thrown): boolean {
  if (error === NOTHING) return false
  if (expected === undefined) return true
  if (typeof expected === 'function') return error instanceof expected
  return says(error instanceof Error ? error.message : String(error), expected)
}

/** All matchers on one value. Each one throws when it does not hold. */
function matchers(actual: unknown, holds: boolean): Record<string, (...expected: unknown[]) => void> {
  return onlyKnown(
    Object.entries(CHECKS).map(([name, check]) => [
      name,
      (...expected: unknown[]) => {
        if (check(actual as never, ...(expected as never[])) === holds) return
        const words = `expected${holds ? '' : ' not'} ${name} ${shown(expected)}, and it is ${shown([actual])}`
        throw new Error(words)
      },
    ]),
  )
}

const shown = (values: readonly unknown[]): string =>
  values.map((value) => inspect(value, { depth: 8 })).join(', ')

/** All matchers on the value that a promise resolves to, or on its rejection. */
function later(outcome: () => Promise<unknown>, holds: boolean) {
  return onlyKnown(
    Object.keys(CHECKS).map((name) => [
      name,
      async (...expected: unknown[]) => matchers(await outcome(), holds)[name]!(...expected),
    ]),
  )
}

/** For `rejects`: returns the reason of a rejected promise, and throws when the promise is fulfilled. */
function rejected(promise: unknown): () => Promise<unknown> {
  return async () => {
    const reason = await Promise.resolve(promise).then(
      () => NOTHING,
      (error: unknown) => error,
    )
    if (reason === NOTHING) throw new Error('expected a rejection, and it was fulfilled')
    return reason
  }
}

function onlyKnown<T>(known: (readonly [string, T])[]): Record<string, T> {
  return new Proxy(Object.fromEntries(known), {
    get(all, name: string) {
      if (Object.hasOwn(all, name)) return all[name]
      throw new Error(`expect has no ${name} here: rigs/machines/deno/expect.ts`)
    },
  })
}

export function expect(actual: unknown) {
  const thrown = rejected(actual)
  const rejects = later(thrown, true)
  const toThrow = async (expected?: Thrown) => {
    const reason = await thrown()
    matchers(() => {
      throw reason
    }, true).toThrow!(expected)
  }
  const own = {
    not: matchers(actual, false),
    resolves: later(async () => actual, true),
    rejects: onlyKnown([
      ...Object.keys(CHECKS).map((name) => [name, rejects[name]!] as const),
      ['toThrow', toThrow],
    ]),
  }
  return { ...matchers(actual, true), ...own }
}

expect.objectContaining = (fields: object) =>
  new Matching('an object with some fields', (actual) => isEqual(actual, fields, true))
expect.stringContaining = (part: string) =>
  new Matching(`a text with ${part}`, (actual) => typeof actual === 'string' && actual.includes(part))
expect.stringMatching = (pattern: RegExp) =>
  new Matching(`a text like ${pattern}`, (actual) => typeof actual === 'string' && pattern.test(actual))
expect.any = (type: new () => unknown) =>
  new Matching(`any ${type.name}`, (actual) => Object(actual) instanceof type)
