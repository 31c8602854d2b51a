/** What processes say to each other of a visit can be read by who has the vault's key, as what it is, and by nobody else. */
import { describe, expect, test } from 'bun:test'
import { VisitSeal } from '../../../src/login/remote/relay/seal.ts'
import { aKey, keyringOf } from './relay-nodes.ts'

const plain = new TextEncoder().encode('what was typed')
const vaultKey = aKey()
const seal = new VisitSeal(keyringOf({ vaultKey }), 'visit-1')
const sealed = seal.seal('to-post', plain)

test('what was sealed is opened by another process with the same key', () => {
  const other = new VisitSeal(keyringOf({ vaultKey }), 'visit-1')
  expect(other.open('to-post', sealed)?.toString()).toBe('what was typed')
  expect(sealed.includes('typed')).toBe(false)
})

test('during a rotation the key before opens, and the new one seals', () => {
  const next = new VisitSeal(keyringOf({ vaultKey: aKey(), vaultKeyOld: vaultKey }), 'visit-1')
  expect(next.open('to-post', sealed)?.toString()).toBe('what was typed')
  expect(seal.open('to-post', next.seal('to-post', plain))).toBeUndefined()
})

describe('it is not opened', () => {
  test('as what it is not', () => {
    for (const part of ['to-desk', 'offer', 'end'] as const) expect(seal.open(part, sealed)).toBeUndefined()
  })

  test('as of another visit', () => {
    expect(new VisitSeal(keyringOf({ vaultKey }), 'visit-2').open('to-post', sealed)).toBeUndefined()
  })

  test('by another key', () => {
    expect(new VisitSeal(keyringOf({ vaultKey: aKey() }), 'visit-1').open('to-post', sealed)).toBeUndefined()
  })

  test('when any byte of it was changed, or some are missing', () => {
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(i) ^ 1, i)
      expect(seal.open('to-post', changed)).toBeUndefined()
      expect(seal.open('to-post', sealed.subarray(0, i))).toBeUndefined()
    }
  })
})
