/**
 * Tests that must all fail: if one of them passed, the contract suites would prove nothing on Deno.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

const failure = async () => {
  throw new TypeError('no such thing')
}

test('toBe', () => expect<object>({}).toBe({}))
test('not.toBe', () => expect(1).not.toBe(1))
test('toEqual of a value', () => expect<object>({ a: [1, { b: 2 }] }).toEqual({ a: [1, { b: 3 }] }))
test('toEqual of an object with an extra field', () => expect<object>({ a: 1, b: 2 }).toEqual({ a: 1 }))
test('toEqual of an object without a field', () => expect<object>({ a: 1 }).toEqual({ a: 1, b: null }))
test('toEqual of bytes', () => expect(new Uint8Array([1])).toEqual(new Uint8Array([2])))
test('toEqual of sets', () => expect(new Set([1])).toEqual(new Set([2])))
test('toEqual of a list', () => expect([1, 2]).toEqual([2, 1]))
test('toMatchObject', () => expect({ a: { b: 1 } }).toMatchObject({ a: { b: 2 } }))
test('toHaveLength', () => expect([1]).toHaveLength(2))
test('toThrow without an error', () => expect(() => 1).toThrow())
test('rejects of a fulfilled promise', () => expect(Promise.resolve(1)).rejects.toThrow())
test('rejects with other words', () => expect(failure()).rejects.toThrow('something else'))
test('rejects with another error', () => expect(failure()).rejects.toThrow(RangeError))
test('rejects with other fields', () =>
  expect(failure()).rejects.toEqual(expect.objectContaining({ message: 'other' })))
test('resolves to another value', () => expect(Promise.resolve(1)).resolves.toBe(2))
test('an unknown matcher', () => expect(1).toBeOdd())
test('an error', failure)
test('a test that never ends', () => new Promise(() => {}), 10)

describe('in a group', () => {
  beforeEach(failure)
  test('a failure before', () => {})
})
describe('in another', () => {
  afterEach(failure)
  test('a failure after', () => {})
})
