/** What processes say to each other of a session can be read by who has the vault's key, as what it is, and by nobody else. */
import { describe, expect, test } from 'bun:test'
import { SessionSeal } from '../../../src/login/remote/relay/seal.ts'
import { aKey, keyringOf } from './relay-nodes.ts'

const plain = new TextEncoder().encode('what was typed')
const vaultKey = aKey()
const seal = new SessionSeal(keyringOf({ vaultKey }), 'session-1')
const sealed = seal.seal('call', plain)

test('what was sealed is opened by another process with the same key', () => {
  const other = new SessionSeal(keyringOf({ vaultKey }), 'session-1')
  expect(other.open('call', sealed)?.toString()).toBe('what was typed')
  expect(sealed.includes('typed')).toBe(false)
})

test('during a rotation the key before opens, and the new one seals', () => {
  const next = new SessionSeal(keyringOf({ vaultKey: aKey(), vaultKeyOld: vaultKey }), 'session-1')
  expect(next.open('call', sealed)?.toString()).toBe('what was typed')
  expect(seal.open('call', next.seal('call', plain))).toBeUndefined()
})

describe('it is not opened', () => {
  test('as what it is not', () => {
    for (const part of ['event', 'pending', 'end'] as const) expect(seal.open(part, sealed)).toBeUndefined()
  })

  test('as of another session', () => {
    expect(new SessionSeal(keyringOf({ vaultKey }), 'session-2').open('call', sealed)).toBeUndefined()
  })

  test('by another key', () => {
    expect(new SessionSeal(keyringOf({ vaultKey: aKey() }), 'session-1').open('call', sealed)).toBeUndefined()
  })

  test('when any byte of it was changed, or some are missing', () => {
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(i) ^ 1, i)
      expect(seal.open('call', changed)).toBeUndefined()
      expect(seal.open('call', sealed.subarray(0, i))).toBeUndefined()
    }
  })
})
