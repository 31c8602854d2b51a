/** Messages between processes about a session can be opened only with the vault's key, and only as the sealed kind. */
import { describe, expect, test } from 'bun:test'
import { SessionSeal } from '../../../src/signin/remote/relay/seal.ts'
import { aKey, keyringOf } from './relay-nodes.ts'

const plain = new TextEncoder().encode('what was typed')
const vaultKey = aKey()
const seal = new SessionSeal(keyringOf({ vaultKey }), 'session-1')
const sealed = seal.seal('call', plain)

test('a sealed message is opened by another process with the same key', () => {
  const other = new SessionSeal(keyringOf({ vaultKey }), 'session-1')
  expect(other.open('call', sealed)?.toString()).toBe('what was typed')
  expect(sealed.includes('typed')).toBe(false)
})

test('during a key rotation the old key opens, and the new key seals', () => {
  const next = new SessionSeal(keyringOf({ vaultKey: aKey(), vaultKeyOld: vaultKey }), 'session-1')
  expect(next.open('call', sealed)?.toString()).toBe('what was typed')
  expect(seal.open('call', next.seal('call', plain))).toBeUndefined()
})

describe('a sealed message is not opened', () => {
  test('as another kind of message', () => {
    for (const part of ['event', 'pending', 'end'] as const) expect(seal.open(part, sealed)).toBeUndefined()
  })

  test('for another session', () => {
    expect(new SessionSeal(keyringOf({ vaultKey }), 'session-2').open('call', sealed)).toBeUndefined()
  })

  test('with another key', () => {
    expect(new SessionSeal(keyringOf({ vaultKey: aKey() }), 'session-1').open('call', sealed)).toBeUndefined()
  })

  test('when any byte was changed, or bytes at the end are missing', () => {
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(i) ^ 1, i)
      expect(seal.open('call', changed)).toBeUndefined()
      expect(seal.open('call', sealed.subarray(0, i))).toBeUndefined()
    }
  })
})
