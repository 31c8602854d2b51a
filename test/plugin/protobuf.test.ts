import { describe, expect, test } from 'bun:test'
import { base64Bytes, base64Url, protobufAt, protobufOf } from 'gleaner/plugin'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))

describe('protobufOf', () => {
  test.each<[number, string]>([
    [0, '0800'],
    [127, '087f'],
    [128, '088001'],
    [300, '08ac02'],
    [2 ** 31, '088080808008'],
    [Number.MAX_SAFE_INTEGER, '08ffffffffffffff0f'],
  ])('%d', (number, message) => {
    expect(hex(protobufOf([[1, number]]))).toBe(message)
    expect(protobufAt(bytes(message), 1)).toBe(number)
  })

  test('writes large field numbers, texts in UTF-8 and repeated fields', () => {
    expect(
      hex(
        protobufOf([
          [110, 1],
          [2, 'ä'],
          [2, 'b'],
        ]),
      ),
    ).toBe('f006011202c3a4120162')
  })

  test.each([-1, 1.5, 2 ** 53])('%p is refused', (number) => {
    expect(() => protobufOf([[1, number]])).toThrow(RangeError)
  })
})

describe('protobufAt', () => {
  test('skips fields of every wire type and returns the first of several', () => {
    // 1: fixed 64, 2: fixed 32, 3: 2^64-1, 4: "a", 4: "b"
    const message = bytes(
      '090102030405060708 150a0b0c0d 18ffffffffffffffffff01 220161 220162'.replaceAll(' ', ''),
    )
    expect(protobufAt(message, 1)).toEqual(bytes('0102030405060708'))
    expect(protobufAt(message, 2)).toEqual(bytes('0a0b0c0d'))
    expect(protobufAt(message, 3)).toBe(2n ** 64n - 1n)
    expect(protobufAt(message, 4)).toEqual(bytes('61'))
    expect(protobufAt(message, 5)).toBeUndefined()
  })

  test.each([
    ['a length beyond the end', '0a05616263'],
    ['an unterminated varint', '0880'],
    ['a varint that is too long', `08${'ff'.repeat(11)}01`],
    ['an unused wire type', '0b'],
    ['trailing bytes after a complete field', '080112'],
  ])('returns undefined for %s', (_, message) => {
    expect(protobufAt(bytes(message), 1)).toBeUndefined()
  })

  test('returns undefined for a path into a number or into undefined', () => {
    expect(protobufAt(bytes('0801'), 1, 1)).toBeUndefined()
    expect(protobufAt(undefined, 1)).toBeUndefined()
  })
})

test('base64Bytes accepts both alphabets with or without padding, and nothing else', () => {
  for (const text of ['-_8', '+/8', '+/8=', '-_8==']) expect(base64Bytes(text)).toEqual(bytes('fbff'))
  for (const text of ['a', 'a b!', 7, null]) expect(base64Bytes(text)).toBeUndefined()
  const long = new Uint8Array(200_000).fill(251)
  expect(base64Bytes(base64Url(long))).toEqual(long)
})
