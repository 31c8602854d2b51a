/** A stored result names the parts of its items in its head, and is its JSON after the head. */
import { expect, test } from 'bun:test'
import type { ItemBatch } from '../../src/runs/items/parts.ts'
import { decodeResult, encodeResult, textOf } from '../../src/runs/result.ts'

const NOTES = { detail: null, files: [] }
const REST = '{"next_cursor":"8"}'
const batch = (bytes: number, count = 1): ItemBatch => ({
  text: Buffer.from(`"${'x'.repeat(bytes - 2)}"`),
  count,
})

test('the result follows its head, unchanged', () => {
  const items = [
    { text: Buffer.from('{"n":1},{"n":"ü€"}'), count: 2 },
    { text: Buffer.from('{"n":3}'), count: 1 },
  ]
  const { head, result } = decodeResult(encodeResult({ ...NOTES, detail: 'no' }, { items, rest: REST }))
  expect(head).toEqual({ detail: 'no', files: [], parts: [[3, 29]] })
  expect(textOf(result)).toBe('{"items":[{"n":1},{"n":"ü€"},{"n":3}],"next_cursor":"8"}')
})

test('a run that failed before its first item has a result of null', () => {
  const { head, result } = decodeResult(encodeResult(NOTES, null))
  expect([head.parts, result]).toEqual([[], 'null'])
})

test('small batches are one part, so that the head of a long run stays small', () => {
  const items = [...Array.from({ length: 3000 }, () => batch(49, 2)), batch(500_000), batch(10), batch(10)]
  const { parts } = decodeResult(encodeResult(NOTES, { items, rest: REST })).head
  expect(parts).toEqual([
    [2676, 1338 * 50 - 1],
    [2676, 1338 * 50 - 1],
    [648 + 1, 324 * 50 + 500_000],
    [2, 21],
  ])
})
