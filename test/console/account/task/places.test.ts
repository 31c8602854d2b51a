/** The fields and entries of a JSON text are found where they stand. */
import { expect, test } from 'bun:test'
import { placesOf } from '../../../../src/console/account/task/places.ts'

test.each([
  ['{"a": 1}', '/a', [1, 2]],
  ['{\n  "a": 1,\n\t"b": [1, {"c": 2}]\n}', '/b', [3, 2]],
  ['{\n  "a": 1,\n\t"b": [1, {"c": 2}]\n}', '/b/0', [3, 8]],
  ['{\n  "a": 1,\n\t"b": [1, {"c": 2}]\n}', '/b/1/c', [3, 12]],
  ['{"x": [[], [1, [2]]]}', '/x/1/1/0', [1, 17]],
  ['{"x": {}, "y": [], "z": 1}', '/z', [1, 20]],
  // Texts that look like JSON, escapes, and names that are no plain words.
  ['{"a": "}, \\"b\\": [", "b": 1}', '/b', [1, 22]],
  ['{"a\\\\": 1, "b": 2}', '/b', [1, 12]],
  ['{"\\u0061": 1}', '/a', [1, 2]],
  ['{"a/b~": 1}', '/a~1b~0', [1, 2]],
  ['{"😀": 1, "b": 2}', '/b', [1, 10]],
  ['{"a":1,"b":2,"a":3}', '/a', [1, 14]],
  ['{"a": {"b": 1}, "b": 2}', '/b', [1, 17]],
])('%j has %s at %j', (text, pointer, at) => {
  JSON.parse(text)
  const { line, column } = placesOf(text, [pointer]).get(pointer)!
  expect([line, column]).toEqual(at as number[])
})

test.each(['', '/b', '/a/0', '/1'])('nothing stands at %j', (pointer) =>
  expect(placesOf('{"a": [[]]}', [pointer]).has(pointer)).toBe(pointer === '/a/0'),
)

test('a large input takes no longer than reading it a few times', () => {
  const text = `{"a": ${'['.repeat(99)}${Array.from({ length: 100_000 }, () => 1).join()}${']'.repeat(99)}, "b": 1}`
  expect(placesOf(text, ['/b']).get('/b')?.line).toBe(1)
})
