import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { ID_BYTES, KEY_BYTES, keyIdOf, seal, unseal, VaultDamaged } from '../../src/vault/sealing.ts'

const key = randomBytes(KEY_BYTES)
const id = randomBytes(ID_BYTES)
const PATH = 'acc_1/state/forum/lgn_1'

describe('a sealed value', () => {
  test('of any bytes opens with its key at its path, and names the key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.string(), (plain, path) => {
        const sealed = seal(key, id, plain, path)
        expect(Buffer.compare(unseal(key, sealed, path), plain)).toBe(0)
        expect(keyIdOf(sealed).equals(id)).toBe(true)
      }),
    )
  })

  test('does not open when any bit of header, body or tag is flipped', () => {
    const plain = Buffer.from('{"cookies":[]}')
    const sealed = seal(key, id, plain, PATH)
    for (let at = 0; at < sealed.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(sealed)
        changed[at]! ^= 1 << bit
        expect(() => unseal(key, changed, PATH)).toThrow(VaultDamaged)
      }
    }
    expect(unseal(key, sealed, PATH).equals(plain)).toBe(true)
  })

  test('does not open when it is cut at either end or extended', () => {
    const sealed = seal(key, id, Buffer.from('{}'), PATH)
    for (let bytes = 0; bytes < sealed.length; bytes++) {
      expect(() => unseal(key, sealed.subarray(0, bytes), PATH)).toThrow(VaultDamaged)
      expect(() => unseal(key, sealed.subarray(bytes + 1), PATH)).toThrow(VaultDamaged)
    }
    expect(() => unseal(key, Buffer.concat([sealed, Buffer.of(0)]), PATH)).toThrow(VaultDamaged)
  })

  test('does not open at another path, nor with another key', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (path, other) => {
        fc.pre(path !== other)
        const sealed = seal(key, id, Buffer.from('{}'), path)
        expect(() => unseal(key, sealed, other)).toThrow(VaultDamaged)
      }),
    )
    const sealed = seal(key, id, Buffer.from('{}'), PATH)
    expect(() => unseal(randomBytes(KEY_BYTES), sealed, PATH)).toThrow(VaultDamaged)
  })

  test('reveals neither its plain text nor that two values are equal', () => {
    const plain = Buffer.from('a session token, quite long, in clear text')
    const [one, other] = [seal(key, id, plain, PATH), seal(key, id, plain, PATH)]
    expect(one.includes(plain.subarray(0, 8))).toBe(false)
    expect(one.includes(key)).toBe(false)
    // Both share only the marker and the key's id.
    expect(one.subarray(20).equals(other.subarray(20))).toBe(false)
    expect(one.subarray(20, 32).equals(other.subarray(20, 32))).toBe(false)
  })
})
