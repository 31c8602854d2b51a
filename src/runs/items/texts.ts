/**
 * Finds the items in their comma-separated JSON texts, one by one: to parse megabytes in one piece would take much
 * memory, and delay every other request.
 *
 * @module
 */
import { nextTurn } from '../../async/delay.ts'

/** An item. Its fields come from a plugin. */
export type Item = Readonly<Record<string, unknown>>

/** Where an item's text begins, and where it ends (exclusive), in bytes. */
export type Span = readonly [start: number, end: number]

/** How much text is read before other work gets a turn of the event loop. It takes some milliseconds. */
const TURN_BYTES = 128 * 1024

/**
 * @param texts comma-separated JSON texts in UTF-8. Text that is not JSON is divided somewhere
 * @returns where the items are, in groups of at least one
 */
export async function* spansOf(texts: Uint8Array): AsyncGenerator<readonly Span[]> {
  let group: Span[] = []
  let [depth, start, turnAt] = [0, 0, TURN_BYTES]
  for (let at = 0; at < texts.length; at++) {
    const byte = texts[at]
    if (byte === QUOTE) at = endOfString(texts, at)
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    else if (byte === COMMA && depth === 0) {
      group.push([start, at])
      start = at + 1
      if (at < turnAt) continue
      yield group
      group = []
      turnAt = at + TURN_BYTES
      await nextTurn()
    }
  }
  if (texts.length > 0) yield [...group, [start, texts.length]]
}

/** The object in a JSON text; an empty one for a text that a plugin's process forged. */
export function objectIn(text: string): Item {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Item) : {}
  } catch {
    return {}
  }
}

/** @returns the position of the quote that ends the string */
function endOfString(texts: Uint8Array, start: number): number {
  let at = start + 1
  while (at < texts.length && texts[at] !== QUOTE) at += texts[at] === BACKSLASH ? 2 : 1
  return at
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
