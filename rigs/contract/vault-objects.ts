/**
 * The contract of stores of vault objects.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { newAccountId } from '../../src/domain/ids.ts'
import type { VaultObjects } from '../../src/vault/objects.ts'
import { newStateRef } from '../../src/vault/paths.ts'

export const anAccount = () => newAccountId(Date.now(), randomBytes(10))
export const aKey = (account = anAccount(), source = 'forum'): string =>
  `${account}/state/${source}/${newStateRef(Date.now(), randomBytes(10))}`

/**
 * Registers the tests.
 *
 * @param open opens the same store each time
 */
export function vaultObjectsContract(name: string, open: () => Promise<VaultObjects>): void {
  describe(`${name} as the vault's objects`, () => {
    /** Opens the store twice, as two processes would. */
    const both = async <T>(use: (one: VaultObjects, other: VaultObjects) => Promise<T>): Promise<T> => {
      const [one, other] = [await open(), await open()]
      try {
        return await use(one, other)
      } finally {
        await one.close()
        await other.close()
      }
    }
    const same = (object: Uint8Array | undefined, body: Uint8Array) =>
      expect(object && Buffer.compare(object, body)).toBe(0)

    test('an object of any size that one process puts is read by another', () =>
      both(async (one, other) => {
        for (const bytes of [1, 92, 5000, 3_000_000]) {
          const [key, body] = [aKey(), randomBytes(bytes)]
          await one.put(key, body)
          same(await other.get(key), body)
        }
        expect(await other.get(aKey())).toBeUndefined()
      }))

    test('a second put overwrites the first', () =>
      both(async (one, other) => {
        const [key, body] = [aKey(), randomBytes(200)]
        await one.put(key, randomBytes(5000))
        await other.put(key, body)
        same(await one.get(key), body)
        expect(await one.list(key)).toHaveLength(1)
      }))

    test('create refuses to overwrite an existing object', () =>
      both(async (one, other) => {
        const [key, body] = [aKey(), randomBytes(300)]
        expect(await one.create(key, body)).toBe(true)
        expect(await other.create(key, randomBytes(10))).toBe(false)
        same(await one.get(key), body)
      }))

    test('replace requires an existing object and does not bring back a deleted one', () =>
      both(async (one, other) => {
        const [key, body] = [aKey(), randomBytes(300)]
        expect(await one.replace(key, body)).toBe(false)
        expect(await one.get(key)).toBeUndefined()
        await one.put(key, randomBytes(10))
        expect(await other.replace(key, body)).toBe(true)
        same(await one.get(key), body)
        await one.delete(key)
        expect(await other.replace(key, randomBytes(10))).toBe(false)
        expect(await one.get(key)).toBeUndefined()
        expect(await one.list(key)).toEqual([])
      }))

    test('an object that one process deletes is gone for the other, and deleting it again is no error', () =>
      both(async (one, other) => {
        const [key, kept] = [aKey(), aKey()]
        for (const each of [key, kept]) await one.put(each, randomBytes(100))
        await one.delete(key)
        await other.delete(key)
        expect(await other.get(key)).toBeUndefined()
        expect(await other.get(kept)).toBeDefined()
        expect(await other.list(key)).toEqual([])
      }))

    test('list returns the keys below a prefix and no others, in order and over several pages', () =>
      both(async (one, other) => {
        const account = anAccount()
        const keys = Array.from({ length: 7 }, () => aKey(account))
        const outside = [aKey(account, 'forum_2'), aKey(account, 'forums'), aKey()]
        for (const key of [...keys, ...outside]) await one.put(key, randomBytes(10))
        const listed = await other.list(`${account}/state/forum/`)
        expect(listed.map(({ key }) => key)).toEqual([...keys].sort())
        const all = (await other.list('')).map(({ key }) => key)
        for (const key of [...keys, ...outside]) expect(all).toContain(key)
        expect(all).toEqual([...all].sort())
      }))

    test('list returns the time of the last write', () =>
      both(async (one, other) => {
        const key = aKey()
        // Stores may record whole seconds only.
        const before = Math.floor(Date.now() / 1000) * 1000
        await one.put(key, randomBytes(10))
        const [listed] = await other.list(key)
        expect(listed?.at).toBeGreaterThanOrEqual(before)
        expect(listed?.at).toBeLessThanOrEqual(Date.now() + 1000)
      }))
  })
}
