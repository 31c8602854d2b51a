/**
 * Protobuf messages without their schema, and the base64 around them: some sources put them into addresses and tokens.
 *
 * @module
 */

/**
 * A protobuf message as bytes.
 *
 * @param fields numbers and values in the order in which they are written: whole numbers from 0 to 2^53 as varints,
 *   texts and bytes (messages within are bytes) with their length
 * @throws {RangeError} for another number
 * @example
 * const place = protobufOf([[1, 1], [2, 'JFK']])
 * [...protobufOf([[19, 2], [13, place]])] // => [152, 1, 2, 106, 7, 8, 1, 18, 3, 74, 70, 75]
 */
export function protobufOf(
  fields: readonly (readonly [number: number, value: number | string | Uint8Array])[],
): Uint8Array {
  return Uint8Array.from(fields.flatMap(([number, value]) => fieldBytes(number, value)))
}

function fieldBytes(number: number, value: number | string | Uint8Array): number[] {
  if (typeof value === 'number') return [...varint(number * 8 + VARINT), ...varint(value)]
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  return [...varint(number * 8 + BYTES), ...varint(bytes.length), ...bytes]
}

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

function varint(value: number): number[] {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no whole number from 0`)
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

/**
 * A value in a protobuf message, by the numbers of the fields on the way. Of a repeated field the first is taken.
 *
 * @returns a number, beyond 2^53 a bigint, or the bytes of a text or a message; undefined where the way ends early,
 *   also because the bytes are no message
 * @example
 * const message = protobufOf([[3, protobufOf([[1, 36956], [3, 'EUR']])]])
 * protobufAt(message, 3, 1) // => 36956
 * new TextDecoder().decode(protobufAt(message, 3, 3) as Uint8Array) // => 'EUR'
 * protobufAt(message, 4) // => undefined
 */
export function protobufAt(
  message: Uint8Array | undefined,
  ...way: readonly number[]
): number | bigint | Uint8Array | undefined {
  let part: number | bigint | Uint8Array | undefined = message
  for (const number of way) {
    if (!(part instanceof Uint8Array)) return undefined
    part = firstOf(part, number)
  }
  return part
}

/** The first field of a number. The whole message is read, so that bytes that are none give nothing. */
function firstOf(message: Uint8Array, wanted: number): number | bigint | Uint8Array | undefined {
  let found: number | bigint | Uint8Array | undefined
  for (let at = 0; at < message.length; ) {
    const tag = readVarint(message, at)
    const read = tag && readValue(message, tag.next, Number(tag.value % 8n))
    if (!read || read.next > message.length) return undefined
    if (found === undefined && Number(tag.value / 8n) === wanted) found = read.value
    at = read.next
  }
  return found
}

type Read = { readonly value: number | bigint | Uint8Array; readonly next: number }

function readValue(message: Uint8Array, at: number, type: number): Read | undefined {
  const bytes = (from: number, length: number) => ({
    value: message.subarray(from, from + length),
    next: from + length,
  })
  if (type === FIXED_64) return bytes(at, 8)
  if (type === FIXED_32) return bytes(at, 4)
  const number = type === VARINT || type === BYTES ? readVarint(message, at) : undefined
  if (!number) return undefined
  if (type === BYTES) return bytes(number.next, Number(number.value))
  const isSafe = number.value <= BigInt(Number.MAX_SAFE_INTEGER)
  return { value: isSafe ? Number(number.value) : number.value, next: number.next }
}

function readVarint(message: Uint8Array, at: number): { value: bigint; next: number } | undefined {
  let value = 0n
  for (let i = 0; i < 10 && at + i < message.length; i++) {
    const byte = message[at + i]!
    value |= BigInt(byte % 128) << BigInt(7 * i)
    if (byte < 128) return { value, next: at + i + 1 }
  }
  return undefined
}

/**
 * The bytes in a base64 text, of the alphabet for addresses too, with or without padding.
 *
 * @returns undefined when it is none
 * @example
 * base64Bytes('-_8') // => new Uint8Array([251, 255])
 * base64Bytes('no base64!') // => undefined
 */
export function base64Bytes(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, ''))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/**
 * Bytes as base64 for addresses, without padding.
 *
 * @example
 * base64Url(new Uint8Array([251, 255])) // => '-_8'
 */
export const base64Url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
