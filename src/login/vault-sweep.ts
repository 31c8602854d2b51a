/**
 * Removes states from the vault that no login's stream refers to. A crash leaves such a state when it comes between
 * saving a state and appending its event, or between the event that ends a login and the removal of its state.
 *
 * @module
 */
import { inBatches } from '../async/batches.ts'
import type { StoredState, Vault } from '../vault/vault.ts'
import type { Logins } from './logins.ts'

export type VaultSweepDeps = {
  readonly vault: Pick<Vault, 'list' | 'remove'>
  readonly logins: Pick<Logins, 'usable'>
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** Younger states are left alone: their event may not have been appended yet. In milliseconds. */
const NAMED_MS = 3_600_000

/**
 * Destroys the states that runs cannot use.
 *
 * @param signal ends it early
 * @returns how many it destroyed
 * @throws {StoreUnavailable}
 */
export async function sweepStates(
  { vault, logins, now }: VaultSweepDeps,
  signal?: AbortSignal,
): Promise<number> {
  const destroyUnlessUsed = async ({ account, source, ref }: StoredState): Promise<boolean> => {
    if ((await logins.usable(account, source))?.ref === ref) return false
    await vault.remove(account, source, ref)
    return true
  }
  const states = await vault.list(now() - NAMED_MS)
  return (await inBatches(states, destroyUnlessUsed, signal)).filter(Boolean).length
}
