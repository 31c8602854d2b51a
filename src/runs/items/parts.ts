/**
 * The items of a run in parts: a page of them is read without the others.
 *
 * @module
 */

/**
 * Some items as comma-separated JSON texts in UTF-8, and how many they are. The process of the plugin says both, and
 * its code is untrusted: nothing may rely on the count, nor on the text being JSON.
 */
export type ItemBatch = { readonly text: Uint8Array; readonly count: number }

/** The number of items of a part, and the bytes of their comma-separated texts. */
export type Part = readonly [items: number, bytes: number]

export type ItemParts = {
  readonly parts: readonly Part[]
  /**
   * The texts of consecutive parts, with a comma between two of them.
   *
   * @param from index of the first part
   * @param to index after the last part
   */
  read(from: number, to: number): Promise<Uint8Array>
}

export const NO_ITEMS: ItemParts = { parts: [], read: async () => new Uint8Array() }

/**
 * Divides batches into parts. Further batches only extend the last part, or follow it.
 *
 * @param leastBytes of each part but the last
 */
export function divided(batches: readonly ItemBatch[], leastBytes: number): (readonly ItemBatch[])[] {
  const parts: ItemBatch[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const batch of batches) {
    if (size >= leastBytes) {
      parts.push([])
      size = 0
    }
    parts.at(-1)!.push(batch)
    size += batch.text.length
  }
  return parts
}

/** The part that consists of these batches. */
export const partOf = (batches: readonly ItemBatch[]): Part => [
  batches.reduce((sum, { count }) => sum + count, 0),
  batches.reduce((sum, { text }) => sum + text.length, batches.length - 1),
]

/** Where a part begins in the texts of all parts, with a comma between two of them. @param index may be behind the last */
export const startOf = (parts: readonly Part[], index: number): number =>
  parts.slice(0, index).reduce((at, [, bytes]) => at + bytes + 1, 0)

/** The texts of batches, and a comma between two of them. */
export const withCommas = (batches: readonly ItemBatch[]): Uint8Array[] =>
  batches.flatMap(({ text }, i) => (i === 0 ? [text] : [COMMA, text]))

const COMMA = Buffer.from(',')
