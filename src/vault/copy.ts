/**
 * Copying a vault into another store. States go as they are, data keys are wrapped anew by the key of the target.
 *
 * @module
 */
import type { Keyring } from './keyring.ts'
import { parsePlace } from './names.ts'
import type { VaultObjects } from './objects.ts'
import { rewrap } from './rotation.ts'

export type CopyVaultOptions = {
  readonly from: VaultObjects
  readonly to: VaultObjects
  /** opens the data keys, and wraps them for the target by its current key */
  readonly keyring: Keyring
  readonly signal: AbortSignal
}

/**
 * Copies all. What is there already is written again, which changes nothing; nothing is deleted there, since sweeps know
 * what no stream names.
 *
 * @returns how many states
 * @throws {VaultLocked} when a data key can't be opened
 * @throws the signal's reason when it was aborted
 */
export async function copyVault({ from, to, keyring, signal }: CopyVaultOptions): Promise<number> {
  let states = 0
  // In the order of their keys: an account's data keys come before its states.
  for (const { key: place } of await from.list('')) {
    signal.throwIfAborted()
    const kind = parsePlace(place)?.kind
    const body = await from.get(place)
    if (kind === undefined || !body) continue
    await to.put(place, kind === 'key' ? rewrap(keyring, body, place) : body)
    if (kind === 'state') states++
  }
  return states
}
