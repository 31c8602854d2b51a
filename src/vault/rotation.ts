/**
 * Rotation: every data key wrapped anew by the key that is to stay. States are not touched.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'
import { type Keyring, VaultLocked } from './keyring.ts'
import { parsePlace } from './names.ts'
import type { VaultObjects } from './objects.ts'
import { VaultDamaged } from './sealing.ts'

/** How the data keys of a vault stand. */
export type KeysFound = {
  readonly accounts: number
  readonly keys: number
  /** how many another key than the current one wrapped */
  readonly outdated: number
  /** accounts with a data key that can't be opened: its key is not there, or it is damaged */
  readonly lost: readonly AccountId[]
}

/** Tries to open every data key. */
export async function checkKeys(objects: VaultObjects, keyring: Keyring): Promise<KeysFound> {
  const accounts = new Set<AccountId>()
  const lost = new Set<AccountId>()
  let keys = 0
  let outdated = 0
  for (const { account, place } of await dataKeysIn(objects)) {
    const wrapped = await objects.get(place)
    // Destroyed since it was listed.
    if (!wrapped) continue
    keys++
    accounts.add(account)
    if (!opens(keyring, wrapped, place)) lost.add(account)
    else if (!keyring.isCurrent(wrapped)) outdated++
  }
  return { accounts: accounts.size, keys, outdated, lost: [...lost] }
}

/**
 * Wraps by the current key what others wrapped. What can't be opened is left as it is, and {@link checkKeys} tells of it.
 *
 * @returns how many
 */
export async function rewrapKeys(objects: VaultObjects, keyring: Keyring): Promise<number> {
  let rewrapped = 0
  for (const { place } of await dataKeysIn(objects)) {
    const wrapped = await objects.get(place)
    if (!wrapped || !opens(keyring, wrapped, place) || keyring.isCurrent(wrapped)) continue
    if (await objects.replace(place, rewrap(keyring, wrapped, place))) rewrapped++
  }
  return rewrapped
}

/** The same data key, wrapped by the current key. @throws {VaultLocked} */
export function rewrap(keyring: Keyring, wrapped: Uint8Array, place: string): Buffer {
  const key = keyring.unwrap(wrapped, place)
  try {
    return keyring.wrap(key, place)
  } finally {
    key.fill(0)
  }
}

function opens(keyring: Keyring, wrapped: Uint8Array, place: string): boolean {
  try {
    keyring.unwrap(wrapped, place).fill(0)
    return true
  } catch (error) {
    if (error instanceof VaultLocked || error instanceof VaultDamaged) return false
    throw error
  }
}

async function dataKeysIn(
  objects: VaultObjects,
): Promise<{ readonly account: AccountId; readonly place: string }[]> {
  return (await objects.list('')).flatMap(({ key: place }) => {
    const parsed = parsePlace(place)
    return parsed?.kind === 'key' ? [{ account: parsed.account, place }] : []
  })
}
