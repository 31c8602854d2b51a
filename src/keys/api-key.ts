/**
 * The form of an API key: `gln_<43 random base62 characters>_<checksum>`. The checksum is no secret: it lets anyone
 * tell a mistyped key from a wrong one, and refuses noise without a look-up.
 *
 * @module
 */
import { hash as digest } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { derivedKeyId, type KeyId } from '../domain/ids.ts'
import { randomInt } from '../random.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^gln_[0-9A-Za-z]{32,64}_[0-9A-Za-z]{6}$/
/** 43 digits of 62 carry 256 bits. */
const RANDOM_DIGITS = 43
const CHECKSUM_DIGITS = 6
const PREFIX_CHARS = 8

/** A new key, from the system's random source. */
export function newApiKey(): string {
  const digits = Array.from({ length: RANDOM_DIGITS }, () => DIGITS[randomInt(DIGITS.length)]).join('')
  const body = `gln_${digits}`
  return `${body}_${checksumOf(body)}`
}

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

/** Whether a text is a key: of the right form, with the right checksum. Says nothing of whether it was ever made. */
export function isApiKey(text: string): boolean {
  if (!FORM.test(text)) return false
  const end = text.length - CHECKSUM_DIGITS
  return checksumOf(text.slice(0, end - 1)) === text.slice(end)
}

/** The SHA-256 of a key in lower-case hex. */
export const hashOf = (key: string): string => digest('sha256', key, 'hex')

/** The id of the key with this hash. */
export const keyIdOf = (hash: string): KeyId => derivedKeyId(Buffer.from(hash, 'hex'))

/** What is kept of a key: its id and its hash, and the few characters by which its owner knows it again. */
export function factsOf(key: string): { key_id: KeyId; hash: string; prefix: string } {
  const hash = hashOf(key)
  return { key_id: keyIdOf(hash), hash, prefix: key.slice(0, PREFIX_CHARS) }
}
