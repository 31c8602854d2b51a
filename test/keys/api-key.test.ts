/** The form of API keys: contract section 7. */

import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { parseKeyId } from '../../src/domain/ids.ts'
import { checksumOf, factsOf, isApiKey, newApiKey } from '../../src/keys/api-key.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a checksum is the CRC-32 of zlib in base62, padded to six digits', () => {
  // Made with Python's zlib.crc32.
  const vectors: [string, string][] = [
    [`gln_${'0'.repeat(32)}`, '2NJJnV'],
    [`gln_${'a'.repeat(43)}`, '3UNIEG'],
    [`gln_${DIGITS}`, '4Thioy'],
    [`gln_${'Z'.repeat(64)}`, '32QYiQ'],
    [`gln_${'q7'.repeat(16)}`, '2VE7UA'],
    ['gln_0000000000000000000000000000000000006728', '000Mf3'],
    ['', '000000'],
  ]
  for (const [body, checksum] of vectors) expect(checksumOf(body)).toBe(checksum)
})

test('a new key has 43 random base62 characters, which are 256 bits, and is valid', () => {
  const keys = new Set<string>()
  const digits = new Map<string, number>()
  for (let i = 0; i < 2000; i++) {
    const key = newApiKey()
    expect(key).toMatch(/^gln_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
    expect(isApiKey(key)).toBe(true)
    keys.add(key)
    for (const digit of key.slice(4, 47)) digits.set(digit, (digits.get(digit) ?? 0) + 1)
  }
  expect(keys.size).toBe(2000)
  // 86,000 draws of 62 digits: 1,387 expected for each, with a deviation of 37. Ten deviations rule out chance.
  expect(digits.size).toBe(62)
  for (const count of digits.values()) expect(Math.abs(count - 1387)).toBeLessThan(370)
})

const anyKey = fc
  .string({ unit: fc.constantFrom(...DIGITS), minLength: 32, maxLength: 64 })
  .map((random) => `gln_${random}_${checksumOf(`gln_${random}`)}`)

test('any body of 32 to 64 characters with its checksum is a valid key', () => {
  fc.assert(fc.property(anyKey, (key) => isApiKey(key)))
})

test('a key with any one character changed is invalid', () => {
  const changed = fc.tuple(anyKey, fc.nat(), fc.constantFrom(...DIGITS, '_', ' ', 'é'))
  fc.assert(
    fc.property(changed, ([key, at, char]) => {
      const i = at % key.length
      const other = key.slice(0, i) + char + key.slice(i + 1)
      return other === key || !isApiKey(other)
    }),
  )
})

test('a text without the form of a key is invalid, even with the right checksum', () => {
  const withChecksum = (body: string) => `${body}_${checksumOf(body)}`
  for (const text of [
    '',
    'gln_',
    withChecksum(`gln_${'a'.repeat(31)}`),
    withChecksum(`gln_${'a'.repeat(65)}`),
    withChecksum(`GLN_${'a'.repeat(43)}`),
    withChecksum(`gln_${'a'.repeat(42)}-`),
    ` ${withChecksum(`gln_${'a'.repeat(43)}`)}`,
    `${withChecksum(`gln_${'a'.repeat(43)}`)}\n`,
  ]) {
    expect(isApiKey(text)).toBe(false)
  }
  fc.assert(fc.property(fc.string(), (text) => !isApiKey(text)))
})

test('the stored facts of a key are its id, its SHA-256 and its first eight characters, never the key', () => {
  const key = newApiKey()
  const facts = factsOf(key)
  expect(facts.hash).toBe(createHash('sha256').update(key).digest('hex'))
  expect(facts.prefix).toBe(key.slice(0, 8))
  expect(parseKeyId(facts.key_id)).toBe(facts.key_id)
  expect(factsOf(key)).toEqual(facts)
  expect(JSON.stringify(facts)).not.toContain(key.slice(8, 20))
})
