/**
 * Protobuf messages without a schema, and base64: some sources use base64-encoded messages in URLs and tokens.
 *
 * @module
 */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/**
 * Encodes a protobuf message.
 *
 * @param fields field numbers and values, in the order in which they are written. Whole numbers from 0 to 2^53 are
 *   written as varints; strings and bytes are length-delimited. Pass a nested message as bytes
 * @throws {RangeError} for a number that is not a whole number from 0 to 2^53
 * @example
 * const place = protobufOf([[1, 1], [2, 'JFK']])
 * [...protobufOf([[19, 2], [13, place]])] // => [152, 1, 2, 106, 7, 8, 1, 18, 3, 74, 70, 75]
 */
export function protobufOf(
  fields: readonly (readonly [number: number, value: number | string | Uint8Array])[],
): Uint8Array {
  const writer = new BinaryWriter()
  for (const [number, value] of fields) {
    if (typeof value !== 'number') {
      writer.tag(number, WireType.LengthDelimited)
      writer.bytes(typeof value === 'string' ? new TextEncoder().encode(value) : value)
    } else if (Number.isSafeInteger(value) && value >= 0) writer.tag(number, WireType.Varint).uint64(value)
    else throw new RangeError(`${value} is not a whole number from 0 to 2^53`)
  }
  return writer.finish()
}

/**
 * A value in a protobuf message, by the path of field numbers that leads to it. Of a repeated field, the first value is
 * used.
 *
 * @returns a number (beyond 2^53 a bigint), or the bytes of a string or message; undefined when the path leads to
 *   nothing or through bytes that are not a message
 * @example
 * const message = protobufOf([[3, protobufOf([[1, 36956], [3, 'EUR']])]])
 * protobufAt(message, 3, 1) // => 36956
 * new TextDecoder().decode(protobufAt(message, 3, 3) as Uint8Array) // => 'EUR'
 * protobufAt(message, 4) // => undefined
 */
export function protobufAt(
  message: Uint8Array | undefined,
  ...path: readonly number[]
): number | bigint | Uint8Array | undefined {
  let part: number | bigint | Uint8Array | undefined = message
  for (const number of path) {
    if (!(part instanceof Uint8Array)) return undefined
    part = firstOf(part, number)
  }
  return part
}

/** The first field with a number. Reads the whole message, and returns undefined for bytes that are not a message. */
function firstOf(message: Uint8Array, fieldNumber: number): number | bigint | Uint8Array | undefined {
  const reader = new BinaryReader(message)
  let last: number | bigint | Uint8Array | undefined
  try {
    while (reader.pos < reader.len) {
      const [number, type] = reader.tag()
      const value = readValue(reader, type)
      if (last === undefined && number === fieldNumber) last = value
    }
    return last
  } catch {
    return undefined
  }
}

function readValue(reader: BinaryReader, type: WireType): number | bigint | Uint8Array {
  if (type === WireType.LengthDelimited) return reader.bytes()
  if (type === WireType.Varint) {
    const value = BigInt(reader.uint64())
    return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
  }
  if (type === WireType.Bit32 || type === WireType.Bit64) return reader.skip(type)
  throw new RangeError(`unknown protobuf wire type ${type}`)
}

/**
 * Decodes base64 or base64url, with or without padding.
 *
 * @returns undefined for a value that is not base64
 * @example
 * base64Bytes('-_8') // => new Uint8Array([251, 255])
 * base64Bytes('no base64!') // => undefined
 */
export function base64Bytes(text: unknown): Uint8Array | undefined {
  const bare = typeof text === 'string' ? text.replace(/=+$/, '') : ''
  if (typeof text !== 'string' || !/^[\w+/-]*$/.test(bare) || bare.length % 4 === 1) return undefined
  return Uint8Array.from(Buffer.from(bare, 'base64'))
}

/**
 * Encodes bytes as base64url, without padding.
 *
 * @example
 * base64Url(new Uint8Array([251, 255])) // => '-_8'
 */
export const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
