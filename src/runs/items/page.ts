/**
 * Reading items: a page of them, or all of them in groups.
 *
 * @module
 */
import { textOf } from '../result.ts'
import type { ItemParts } from './parts.ts'
import { type Item, objectIn, spansOf } from './texts.ts'

/** The items of a run that are readable now: all of them, or those so far. */
export type RunItems = ItemParts & {
  /** how many the run has. While it works, not all of them need be in the parts */
  readonly total: number
  /** false while the run works: its items may start over */
  readonly isFinal: boolean
}

export type ItemsPage = {
  readonly items: readonly Item[]
  /** the number of items before this page */
  readonly from: number
  /** how many items the run has, or has so far */
  readonly total: number
  readonly isFinal: boolean
  /** `from` of the next page; null when no more items can be read, or none so far */
  readonly next: number | null
}

/** A page ends early when its items exceed this much JSON. It has at least one item. */
const PAGE_BYTES = 2 * 1024 * 1024
/** How much of the items is read at once when all are read. */
const READ_BYTES = 1024 * 1024

/**
 * A page of items, read in one piece of little more than 2 MiB (plus the size of its last item). The counts of parts
 * may be forged: then the page has the items that are found there.
 *
 * @param from the number of items before the page
 * @param limit the largest number of items on the page
 */
export async function pageOf(source: RunItems, from: number, limit: number): Promise<ItemsPage> {
  const { parts, total, isFinal } = source
  const items: Item[] = []
  const page = (next: number | null): ItemsPage => ({ items, from, total, isFinal, next })
  let [first, before] = [0, 0]
  while (first < parts.length && before + parts[first]![0] <= from) before += parts[first++]![0]
  const last = Math.min(from + limit, total)
  if (first === parts.length || last <= from) return page(null)
  let [end, count, size] = [first, before, 0]
  while (end < parts.length && count < last && size < PAGE_BYTES) {
    count += parts[end]![0]
    size += parts[end]![1]
    end++
  }
  const texts = await source.read(first, end)
  let [at, bytes] = [before, 0]
  for await (const group of spansOf(texts)) {
    for (const [start, stop] of group) {
      if (at++ < from) continue
      const isFull = items.length === last - from || (items.length > 0 && bytes + stop - start > PAGE_BYTES)
      if (isFull) return page(from + items.length < total ? from + items.length : null)
      bytes += stop - start
      items.push(objectIn(textOf(texts.subarray(start, stop))))
    }
  }
  return page(end < parts.length ? count : null)
}

/** All items, each as JSON, in groups. */
export async function* itemTexts({ parts, read }: ItemParts): AsyncGenerator<readonly string[]> {
  for (let from = 0; from < parts.length; ) {
    let [to, size] = [from, 0]
    while (to < parts.length && size < READ_BYTES) size += parts[to++]![1]
    const texts = await read(from, to)
    for await (const group of spansOf(texts))
      yield group.map(([start, end]) => textOf(texts.subarray(start, end)))
    from = to
  }
}
