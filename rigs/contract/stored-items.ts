/**
 * The contract of stored results: whatever the artifact store, a page of items and the fields beside them are read
 * without the rest of the result.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { pageOf } from '../../src/runs/items/page.ts'
import type { ItemBatch } from '../../src/runs/items/parts.ts'
import { openResult } from '../../src/runs/items/stored.ts'
import { encodeResult, type NewResult, type ResultNotes } from '../../src/runs/result.ts'
import { altered } from '../support/altered.ts'
import { aRun, type OpenedArtifacts } from './artifacts.ts'

const MIB = 1024 * 1024
const LATER = 86_400_000
const NO_NOTES: ResultNotes = { detail: null, files: [] }
const REST = '{"next_cursor":"after \\"],\\"","partial":true}'

/** Items in batches, as a process sends them. @param of makes item n */
function batches(count: number, each: number, of: (n: number) => object): ItemBatch[] {
  return Array.from({ length: Math.ceil(count / each) }, (_, b) => {
    const items = Array.from({ length: Math.min(each, count - b * each) }, (_, i) => of(b * each + i))
    return { text: Buffer.from(items.map((item) => JSON.stringify(item)).join(',')), count: items.length }
  })
}

/** Counts the bytes that are read. */
function counting(artifacts: Artifacts) {
  const read = { bytes: 0, calls: 0 }
  const note = (bytes = 0) => {
    read.bytes += bytes
    read.calls++
  }
  const counted = altered(artifacts, {
    async get(ref) {
      const body = await artifacts.get(ref)
      note(body?.length)
      return body
    },
    async open(ref, range) {
      const opened = await artifacts.open(ref, range)
      note(opened?.bytes)
      return opened
    },
  })
  return { artifacts: counted, read }
}

/** @param open opens a store; the test closes it */
export function storedItemsContract(name: string, open: () => Promise<OpenedArtifacts>): void {
  async function using(
    result: NewResult | null,
    notes: ResultNotes,
    use: (
      of: ReturnType<typeof counting> & { readonly ref: string; readonly bytes: number },
    ) => Promise<void>,
  ) {
    const writer = await open()
    const { ref, bytes, done } = writer.artifacts.put(
      aRun(),
      'result',
      encodeResult(notes, result),
      writer.now + LATER,
    )
    await done
    // Without caches of what was just written.
    const reader = await writer.reopen()
    await use({ ...counting(reader.artifacts), ref, bytes })
    await reader.close()
  }

  describe(`results in the artifact store: ${name}`, () => {
    test('10,000 items are read page by page, each page from little more than its own bytes', async () => {
      const item = (n: number) => ({ id: n, text: `${'ü€😀'.repeat(20)} "${n}" {[,\\` })
      const items = batches(10_000, 37, item)
      await using({ items, rest: REST }, NO_NOTES, async ({ artifacts, read, ref, bytes }) => {
        const ids: unknown[] = []
        for (let from: number | null = 0; from !== null; ) {
          read.bytes = 0
          const opened = await openResult(artifacts, { ref, bytes })
          const page = await pageOf({ ...opened!.items, total: 10_000, isFinal: true }, from, 250)
          for (const { id, text } of page.items) {
            expect(text).toBe(item(Number(id)).text)
            ids.push(id)
          }
          expect(read.bytes).toBeLessThan(300 * 1024)
          from = page.next
        }
        expect(ids).toEqual(Array.from({ length: 10_000 }, (_, n) => n))
      })
    })

    test('pages of a result of 60 MB, and its other fields, are read without the rest of it', async () => {
      const items = batches(600, 3, (n) => ({ n, text: 'x'.repeat(100_000) }))
      await using({ items, rest: REST }, NO_NOTES, async ({ artifacts, read, ref, bytes }) => {
        expect(bytes).toBeGreaterThan(60_000_000)
        for (const from of [0, 299, 598]) {
          Object.assign(read, { bytes: 0, calls: 0 })
          const opened = await openResult(artifacts, { ref, bytes })
          const page = await pageOf({ ...opened!.items, total: 600, isFinal: true }, from, 100)
          expect(page.items[0]).toMatchObject({ n: from })
          expect(page.next).toBe(from === 598 ? null : from + page.items.length)
          expect(read.calls).toBe(2)
          expect(read.bytes).toBeLessThan(3 * MIB)
        }
        read.bytes = 0
        const opened = await openResult(artifacts, { ref, bytes })
        expect(await opened!.rest()).toEqual({ next_cursor: 'after "],"', partial: true })
        expect(read.bytes).toBeLessThan(128 * 1024)
        expect(opened!.head.parts.length).toBeLessThanOrEqual(1000)
      })
    }, 60_000)

    test.each([
      ['without items', { items: [], rest: '{"next_cursor":null}' }, { next_cursor: null }],
      ['of one object', { items: [], rest: '{"next_cursor":null,"items_seen":[1]}' }, { items_seen: [1] }],
      ['with files alone', null, {}],
    ] as const)('a result %s has no items, and its other fields', async (_, result, rest) => {
      const files = Array.from({ length: 100 }, (_, n) => ({ name: 'ü'.repeat(200), ref: `ref-${n}` }))
      for (const notes of [NO_NOTES, { detail: 'x'.repeat(90_000), files }])
        await using(result, notes, async ({ artifacts, ref, bytes }) => {
          const opened = await openResult(artifacts, { ref, bytes })
          expect(opened!.head).toEqual({ ...notes, parts: [] })
          expect(await opened!.rest()).toMatchObject(rest)
          const page = await pageOf({ ...opened!.items, total: 0, isFinal: true }, 0, 10)
          expect(page).toEqual({ items: [], from: 0, total: 0, isFinal: true, next: null })
        })
    })

    test('a result that is cut off is an error, not fewer items; one that was deleted is none', async () => {
      const store = await open()
      const items = batches(100, 10, (n) => ({ n, text: 'x'.repeat(10_000) }))
      for (const length of [40_000, 400_000]) {
        const part = encodeResult(NO_NOTES, { items: items.slice(0, length / 100_000 + 1), rest: REST })
        const whole = part.length
        const { ref, done } = store.artifacts.put(
          aRun(),
          'result',
          part.subarray(0, length),
          store.now + LATER,
        )
        await done
        const opened = await openResult(store.artifacts, { ref, bytes: whole })
        const last = opened!.items.parts.length
        await expect(opened!.items.read(last - 1, last)).rejects.toThrow('cut off')
        await expect(opened!.rest()).rejects.toThrow('cut off')
        store.now += LATER
        expect(await openResult(store.artifacts, { ref, bytes: whole })).toBeUndefined()
      }
      await store.close()
    })
  })
}
