/** A page of a run's items is what the items are, whatever their text; forged counts and texts break nothing. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { itemTexts, pageOf, type RunItems } from '../../../src/runs/items/page.ts'
import { type ItemBatch, partOf, withCommas } from '../../../src/runs/items/parts.ts'
import { objectIn, spansOf } from '../../../src/runs/items/texts.ts'

const batchOf = (items: readonly unknown[], count = items.length): ItemBatch => ({
  text: Buffer.from(items.map((item) => JSON.stringify(item)).join(',')),
  count,
})

/** Items in memory, with the sizes of what was read of them. */
function readable(batches: readonly ItemBatch[], isFinal = true) {
  const reads: number[] = []
  const source: RunItems = {
    parts: batches.map((batch) => partOf([batch])),
    async read(from, to) {
      const text = Buffer.concat(withCommas(batches.slice(from, to)))
      reads.push(text.length)
      return text
    },
    total: batches.reduce((sum, { count }) => sum + count, 0),
    isFinal,
  }
  return { source, reads }
}

async function allPages(source: RunItems, limit: number) {
  const items: unknown[] = []
  for (let from: number | null = 0; from !== null; ) {
    const page = await pageOf(source, from, limit)
    expect(page.from).toBe(from)
    expect(page.items.length).toBeLessThanOrEqual(limit)
    items.push(...page.items)
    expect(page.next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(from)
    from = page.next
  }
  return items
}

const hostile = [
  { quote: 'a "quoted" \\ text \\', braces: '}]{[,' },
  { lone: '\ud800 and \udc00', rtl: 'שלום', emoji: '👩‍👩‍👧', newline: 'a\nb\u2028c' },
  { long: `${'x'.repeat(1_000_000)}",{` },
  { nested: [[[{ a: [{}, [], ''] }]]], none: null, ',': ',' },
  {},
]

test('pages of any size together are all items, in order', async () => {
  const items = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(items, { maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      async (all, limit) => {
        const plain = JSON.parse(JSON.stringify(all)) as unknown[][]
        const batches = plain.filter((some) => some.length > 0).map((some) => batchOf(some))
        expect(await allPages(readable(batches).source, limit)).toEqual(plain.flat())
      },
    ),
  )
})

test('hostile texts are divided where their items end', async () => {
  const { source } = readable([batchOf(hostile), batchOf(hostile)])
  const expected = JSON.parse(JSON.stringify([...hostile, ...hostile]))
  expect(await allPages(source, 3)).toEqual(expected)
  const texts: string[] = []
  for await (const group of itemTexts(source)) texts.push(...group)
  expect(texts.map((text) => JSON.parse(text))).toEqual(expected)
})

test('a page reads only the parts that have its items, once', async () => {
  const batches = Array.from({ length: 100 }, (_, n) =>
    batchOf(Array.from({ length: 100 }, (_, i) => ({ id: n * 100 + i, text: 'ü'.repeat(50) }))),
  )
  const { source, reads } = readable(batches)
  const page = await pageOf(source, 5_050, 100)
  expect(page.items.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, i) => 5_050 + i))
  expect(page).toMatchObject({ from: 5_050, total: 10_000, next: 5_150, isFinal: true })
  expect(reads).toEqual([2 * batches[50]!.text.length + 1])
})

test('a page ends before its items exceed 2 MiB, and has at least one', async () => {
  const big = (n: number, chars: number) => ({ n, text: 'x'.repeat(chars) })
  const { source, reads } = readable([
    batchOf(Array.from({ length: 5 }, (_, n) => big(n, 700_000))),
    batchOf([big(5, 5_000_000)]),
    batchOf([big(6, 1)]),
  ])
  expect((await pageOf(source, 0, 10)).next).toBe(2)
  expect((await pageOf(source, 2, 10)).next).toBe(4)
  expect(await pageOf(source, 4, 10)).toMatchObject({ items: [{ n: 4 }], next: 5 })
  expect(await pageOf(source, 5, 10)).toMatchObject({ items: [{ n: 5 }], next: 6 })
  expect(await pageOf(source, 6, 10)).toMatchObject({ items: [{ n: 6 }], next: null })
  expect(reads.length).toBe(5)
})

test('a page behind the last item, and one of a run without items, is empty', async () => {
  const empty = { items: [], next: null }
  expect(await pageOf(readable([batchOf([{}])]).source, 1, 5)).toMatchObject({ ...empty, from: 1, total: 1 })
  expect(await pageOf(readable([]).source, 0, 5)).toMatchObject({ ...empty, from: 0, total: 0 })
})

test('items so far can be fewer than the run has: the page says both', async () => {
  const { source } = readable([batchOf([{ a: 1 }, { a: 2 }])], false)
  const page = await pageOf({ ...source, total: 900 }, 0, 50)
  expect(page).toEqual({ items: [{ a: 1 }, { a: 2 }], from: 0, total: 900, isFinal: false, next: null })
})

test('forged counts and texts break nothing: pages have what they find, and come to an end', async () => {
  const forged = fc.record({
    text: fc.oneof(
      fc.constantFrom('"', ']}', '{', '\\', ',', ',,,', 'null', '1,2', '{"a":', '{},{}', '"},{"'),
      fc.string({ unit: 'binary' }),
    ),
    count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(1_000_000)),
  })
  const batches = fc.array(forged, { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(batches, fc.integer({ min: 1, max: 5 }), async (texts, limit) => {
      const { source } = readable(texts.map(({ text, count }) => ({ text: Buffer.from(text), count })))
      for (const item of await allPages(source, limit)) expect(item).toBeObject()
    }),
  )
})

test('a batch that claims more items than it has does not hide those after it', async () => {
  const { source } = readable([batchOf([{ id: 1 }, { id: 2 }], 1_000), batchOf([{ id: 'after' }])])
  expect(await allPages(source, 2)).toEqual([{ id: 1 }, { id: 2 }, { id: 'after' }])
})

test('what is not an object is an empty item', () => {
  for (const text of ['', '1', 'null', '[]', '{"a":', '['.repeat(100_000)]) expect(objectIn(text)).toEqual({})
})

test('other work has a turn between the groups of a large text', async () => {
  const { text } = batchOf(Array.from({ length: 40 }, (_, n) => ({ n, text: 'ü'.repeat(20_000) })))
  let turns = 0
  let isReading = true
  const other = () => {
    turns++
    if (isReading) setImmediate(other)
  }
  setImmediate(other)
  let groups = 0
  for await (const group of spansOf(text)) {
    groups++
    expect(group.length).toBeLessThanOrEqual(4)
    expect(turns).toBeGreaterThanOrEqual(groups - 1)
  }
  isReading = false
  expect(groups).toBeGreaterThan(9)
})
