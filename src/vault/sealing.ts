/**
 * Sealing: AES-256-GCM, bound to the object's path, with a header that contains the id of the key.
 *
 * ```
 * "GLV" 1 (4 bytes) | id of the key (16) | nonce (12) | ciphertext | tag (16)
 * ```
 *
 * The tag covers header, path and ciphertext. Nonces are random, which is safe for up to 2^32 states per data key; a
 * data key seals far fewer.
 *
 * @module
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { randomBytes } from '../random.ts'

export const KEY_BYTES = 32
export const ID_BYTES = 16

const ALGORITHM = 'aes-256-gcm'
const MARK = Buffer.from('GLV\x01', 'latin1')
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ID_END = MARK.length + ID_BYTES
const HEADER_BYTES = ID_END + NONCE_BYTES

/** An object of the vault is not what was sealed for its path: it was truncated, changed or moved. */
export class VaultDamaged extends Error {
  override readonly name = 'VaultDamaged'
}

/**
 * Seals bytes.
 *
 * @param key 32 bytes
 * @param keyId 16 bytes that reveal nothing about the key
 * @param path of the object that the result is for
 */
export function seal(key: Uint8Array, keyId: Uint8Array, plain: Uint8Array, path: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const header = Buffer.concat([MARK, keyId, nonce])
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo(header, path))
  return Buffer.concat([header, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** The id of the key that opens sealed bytes. @throws {VaultDamaged} when they are not sealed or truncated */
export function keyIdOf(sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  if (bytes.length < HEADER_BYTES + TAG_BYTES || !bytes.subarray(0, MARK.length).equals(MARK))
    throw new VaultDamaged('an object of the vault has no valid header')
  return bytes.subarray(MARK.length, ID_END)
}

/**
 * Opens sealed bytes. The caller fills the result with zeros after use.
 *
 * @throws {VaultDamaged} when the bytes or the path differ from what was sealed
 */
export function unseal(key: Uint8Array, sealed: Uint8Array, path: string): Buffer {
  keyIdOf(sealed)
  const body = sealed.subarray(HEADER_BYTES, -TAG_BYTES)
  const header = sealed.subarray(0, HEADER_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, header.subarray(ID_END), { authTagLength: TAG_BYTES })
  decipher.setAAD(boundTo(header, path))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const plain = decipher.update(body)
  try {
    // In this mode `update` returns all bytes, and `final` only verifies them.
    decipher.final()
    return plain
  } catch {
    plain.fill(0)
    throw new VaultDamaged('an object of the vault is not what was sealed there')
  }
}

const boundTo = (header: Uint8Array, path: string): Buffer => Buffer.concat([header, Buffer.from(path)])
