/** Items of a stored result are read one by one, whatever their text, and without holding up other work. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeResult, itemGroups, itemsOf } from '../../src/runs/result.ts'

const stored = (result: string) =>
  decodeResult(Buffer.from(`{"detail":null,"files":[],"parts":[]}\n${result}`)).result

test('a part of the items, their number and the position of the source are those of the result', async () => {
  const item = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  const rest = fc.option(fc.string({ unit: 'binary' }))
  const all = fc.array(item, { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(all, rest, fc.nat(9), fc.nat(9), async (items, next, start, limit) => {
      const plain = JSON.parse(JSON.stringify({ items, next_cursor: next, partial: true }))
      expect(await itemsOf(stored(JSON.stringify(plain)), start, limit)).toEqual({
        items: plain.items.slice(start, start + limit),
        total: items.length,
        next,
        others: { partial: true },
      })
    }),
  )
})

test('a result without items, or without anything else, is read', async () => {
  for (const result of ['null', '{"expired_at":"2026-01-01T00:00:00.000Z"}', '{"items":[]}']) {
    const { items, ...others } = JSON.parse(result) ?? {}
    expect(await itemsOf(stored(result), 0, 10)).toEqual({ items: [], total: 0, next: null, others })
  }
})

test('a result that is cut off is an error, not fewer items', async () => {
  for (const result of ['{"items":[{"a":1}', '{"items":[{"a":1},{"b":"x'])
    await expect(itemsOf(stored(result), 0, 10)).rejects.toThrow('cut off')
})

test('other work has a turn between the groups of a large result', async () => {
  const items = Array.from({ length: 40 }, (_, n) => ({ n, text: 'ü'.repeat(20_000) }))
  let turns = 0
  let isReading = true
  const other = () => {
    turns++
    if (isReading) setImmediate(other)
  }
  setImmediate(other)
  let groups = 0
  for await (const group of itemGroups(stored(JSON.stringify({ items })))) {
    groups++
    expect(group.length).toBeLessThanOrEqual(4)
    expect(turns).toBeGreaterThanOrEqual(groups - 1)
  }
  isReading = false
  expect(groups).toBeGreaterThan(9)
})
