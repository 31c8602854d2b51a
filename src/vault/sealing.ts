/**
 * Sealing: AES-256-GCM, bound to the place where the result lies, with a header that names the key which opens it.
 *
 * ```
 * "GLV" 1 (4 bytes) | id of the key (16) | nonce (12) | ciphertext | tag (16)
 * ```
 *
 * The tag covers header, place and ciphertext. A nonce is random; a data key seals far fewer than 2^32 states, up to
 * which that is safe.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export const KEY_BYTES = 32
export const ID_BYTES = 16

const ALGORITHM = 'aes-256-gcm'
const MARK = Buffer.from('GLV\x01', 'latin1')
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ID_END = MARK.length + ID_BYTES
const HEADER_BYTES = ID_END + NONCE_BYTES

/** What lies in the vault is not what was sealed for this place: it was cut, changed or moved. */
export class VaultDamaged extends Error {
  override readonly name = 'VaultDamaged'
}

/**
 * Seals bytes.
 *
 * @param key 32 bytes
 * @param keyId 16 bytes, which tell nothing of the key
 * @param place where the result will lie
 */
export function seal(key: Uint8Array, keyId: Uint8Array, plain: Uint8Array, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const header = Buffer.concat([MARK, keyId, nonce])
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo(header, place))
  return Buffer.concat([header, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** The id of the key that opens sealed bytes. @throws {VaultDamaged} for what was never sealed, or is cut */
export function keyIdOf(sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  if (bytes.length < HEADER_BYTES + TAG_BYTES || !bytes.subarray(0, MARK.length).equals(MARK))
    throw new VaultDamaged('an object of the vault has no header of ours')
  return bytes.subarray(MARK.length, ID_END)
}

/**
 * Opens sealed bytes. The caller fills the result with zeros when it is done with it.
 *
 * @throws {VaultDamaged} when anything of it, or its place, is not as it was sealed
 */
export function unseal(key: Uint8Array, sealed: Uint8Array, place: string): Buffer {
  keyIdOf(sealed)
  const body = sealed.subarray(HEADER_BYTES, -TAG_BYTES)
  const header = sealed.subarray(0, HEADER_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, header.subarray(ID_END), { authTagLength: TAG_BYTES })
  decipher.setAAD(boundTo(header, place))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const plain = decipher.update(body)
  try {
    // In this mode all bytes come with the update: the end brings none and judges them.
    decipher.final()
    return plain
  } catch {
    plain.fill(0)
    throw new VaultDamaged('an object of the vault is not what was sealed there')
  }
}

const boundTo = (header: Uint8Array, place: string): Buffer => Buffer.concat([header, Buffer.from(place)])
