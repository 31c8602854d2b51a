/**
 * Tokens, which request the next page of a list or the list in another order.
 *
 * @module
 */
import { at, base64Bytes, base64Url, protobufAt, protobufOf, textOrNull } from 'gleaner/plugin'
import type { Sort } from '../short.ts'

/** The most parts of a command that are searched. The source's commands have fewer than 50. */
const MOST_PARTS = 1000

/** The first token in a command or below it; null when there is none. */
export function tokenBelow(command: unknown): string | null {
  const parts = [command]
  for (const part of parts) {
    const token = textOrNull(at(part, 'continuationCommand', 'token'))
    if (token !== null) return token
    if (typeof part !== 'object' || part === null) continue
    for (const each of Object.values(part)) if (parts.length < MOST_PARTS) parts.push(each)
  }
  return null
}

/** The source's codes of orders. */
const CODES = { latest: 4, popular: 2, oldest: 5 } as const
const SORT_OF: ReadonlyMap<unknown, Sort> = new Map(
  Object.entries(CODES).map(([sort, code]) => [code, sort as Sort]),
)

/** The fields of the outer message, and of the inner one to the message with the order. */
const OUTER = 80_226_972
const WAY = [110, 3, 10] as const

/**
 * The order that a token requests. Its code, unlike a chip's label, does not depend on the language. The token is
 * base64 of {80226972: {2: channel, 3: base64 of {110: {3: {10: {4: code, 7: {3: code}}}}}}}.
 */
export function sortOfToken(token: string): Sort | undefined {
  const inner = protobufAt(bytesOf(token), OUTER, 3)
  const message = inner instanceof Uint8Array ? bytesOf(new TextDecoder().decode(inner)) : undefined
  return SORT_OF.get(protobufAt(message, ...WAY, 7, 3) ?? protobufAt(message, ...WAY, 4))
}

/** Decodes base64 whose padding is percent-encoded. */
const bytesOf = (text: string): Uint8Array | undefined => base64Bytes(text.replaceAll('%3D', '='))

/** A token belongs to one load of a page, whose id it holds. One that belongs to none has this id. */
const NO_PAGE = '00000000-0000-0000-0000-000000000000'

/** A token of our own for the Shorts of a channel in an order. Tokens have no signature. */
export function tokenFor(channelId: string, sort: Sort): string {
  const page = protobufOf([[1, NO_PAGE]])
  const order = protobufOf([
    [2, page],
    [4, CODES[sort]],
    [
      7,
      protobufOf([
        [1, NO_PAGE],
        [3, CODES[sort]],
      ]),
    ],
  ])
  const inner = WAY.toReversed().reduce((message, field) => protobufOf([[field, message]]), order)
  const list = protobufOf([
    [2, channelId],
    [3, textOf(inner)],
  ])
  return textOf(protobufOf([[OUTER, list]]))
}

/** Encodes as base64 whose padding is percent-encoded. */
function textOf(bytes: Uint8Array): string {
  const text = base64Url(bytes)
  return text + '%3D'.repeat((4 - (text.length % 4)) % 4)
}
