/**
 * The form of an API key: `gln_<43 random base62 characters>_<checksum>`. The checksum is not secret. It distinguishes
 * a mistyped key from a wrong one, and rejects noise without a lookup.
 *
 * @module
 */
import { hash as digest } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { derivedKeyId, type KeyId } from '../domain/ids.ts'
import { randomInt } from '../random.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^gln_[0-9A-Za-z]{32,64}_[0-9A-Za-z]{6}$/
/** 43 base62 digits carry 256 bits. */
const RANDOM_DIGITS = 43
const CHECKSUM_DIGITS = 6
const PREFIX_CHARS = 8

/** A new key, from the system's random source. */
export const newApiKey = (): string =>
  withChecksum(Array.from({ length: RANDOM_DIGITS }, () => DIGITS[randomInt(DIGITS.length)]).join(''))

/** The key that carries 32 secret bytes. */
export function apiKeyOf(secret: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(secret).toString('hex')}`)
  let digits = ''
  while (digits.length < RANDOM_DIGITS) {
    digits = DIGITS[Number(rest % 62n)] + digits
    rest /= 62n
  }
  return withChecksum(digits)
}

const withChecksum = (digits: string): string => `gln_${digits}_${checksumOf(`gln_${digits}`)}`

/**
 * CRC-32 (IEEE) of a text in base62, padded with `0` to 6 digits.
 *
 * @param body all of the key before its last `_`
 */
export function checksumOf(body: string): string {
  let rest = crc32(body)
  let out = ''
  while (out.length < CHECKSUM_DIGITS) {
    out = DIGITS[rest % 62] + out
    rest = Math.floor(rest / 62)
  }
  return out
}

/** Whether a text has the form of a key and the right checksum. Such a key need not exist. */
export function isApiKey(text: string): boolean {
  if (!FORM.test(text)) return false
  const end = text.length - CHECKSUM_DIGITS
  return checksumOf(text.slice(0, end - 1)) === text.slice(end)
}

/** The SHA-256 of a key in lower-case hex. */
export const hashOf = (key: string): string => digest('sha256', key, 'hex')

/** The id of the key with this hash. */
export const keyIdOf = (hash: string): KeyId => derivedKeyId(Buffer.from(hash, 'hex'))

/** The stored facts of a key: its id, its hash, and the few characters by which its owner recognizes it. */
export function factsOf(key: string): { key_id: KeyId; hash: string; prefix: string } {
  const hash = hashOf(key)
  return { key_id: keyIdOf(hash), hash, prefix: key.slice(0, PREFIX_CHARS) }
}
