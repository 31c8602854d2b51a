/**
 * Reads the chips above a grid, which sort it: the order of each chip, and the token that requests this order.
 *
 * @module
 */
import { at, base64Bytes, entriesAt, protobufAt, textOrNull } from 'gleaner/plugin'
import type { Sort } from './short.ts'
import { wrappedText } from './texts.ts'

/** The token of each order that a grid offers. A token is valid only for the page that contains it. */
export type Chips = ReadonlyMap<Sort, string>

/**
 * The orders that a grid offers. Empty when the grid has no chips, as with very few Shorts.
 *
 * @param header the header of the grid: `feedFilterChipBarRenderer` until January 2026, `chipBarViewModel` since
 */
export function chipsOf(header: unknown): Chips {
  const old = at(header, 'feedFilterChipBarRenderer', 'contents')
  const chips = at(header, 'chipBarViewModel', 'chips') ?? old
  const found = new Map<Sort, string>()
  for (const entry of entriesAt(chips)) {
    const chip = at(entry, 'chipViewModel') ?? at(entry, 'chipCloudChipRenderer')
    const command = at(chip, 'tapCommand', 'innertubeCommand') ?? at(chip, 'navigationEndpoint')
    const token = textOrNull(at(command, 'continuationCommand', 'token'))
    const sort =
      token === null ? undefined : (sortOfToken(token) ?? sortOfLabel(wrappedText(at(chip, 'text'))))
    if (sort !== undefined && token !== null) found.set(sort, token)
  }
  return found
}

/** The source's codes of orders; 1 meant latest until 2023. */
const CODES: Readonly<Record<number, Sort>> = { 1: 'latest', 2: 'popular', 4: 'latest', 5: 'oldest' }

/** The paths of the code in a token's message, newest form first. */
const WAYS = [
  [110, 3, 10, 7, 3],
  [110, 3, 10, 4],
  [110, 3, 10, 3],
]

/**
 * The order that a token requests. Its code, unlike a chip's label, does not depend on the language. The token is
 * base64 of {80226972: {3: base64 of a message}}.
 */
function sortOfToken(token: string): Sort | undefined {
  const inner = protobufAt(bytesOf(token), 80_226_972, 3)
  const message = inner instanceof Uint8Array ? bytesOf(new TextDecoder().decode(inner)) : undefined
  for (const way of WAYS) {
    const code = protobufAt(message, ...way)
    if (typeof code === 'number') return CODES[code]
  }
  return undefined
}

/** Decodes base64 whose padding is percent-encoded. */
const bytesOf = (text: string): Uint8Array | undefined => base64Bytes(text.replaceAll('%3D', '='))

const LABELS: ReadonlyMap<string | undefined, Sort> = new Map([
  ['latest', 'latest'],
  ['recently uploaded', 'latest'],
  ['popular', 'popular'],
  ['oldest', 'oldest'],
])
const sortOfLabel = (label: string | null): Sort | undefined => LABELS.get(label?.toLowerCase())
