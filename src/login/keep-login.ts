/**
 * What a run changed in the state of its login, brought into the one that the vault has by then: other runs of the
 * account may have changed something else in it.
 *
 * @module
 */

import { MOST_STATE_CHARS } from '../browser/page/state.ts'
import { changesBetween, cookiesIn, type StateChange, withChanges } from '../browser/page/state-changes.ts'
import { markersOf, signedInUntil } from '../browser/signin/success.ts'
import type { AccountId } from '../domain/ids.ts'
import type { Cause } from '../log/execute.ts'
import type { Source } from '../plugin.ts'
import type { Vault } from '../vault/vault.ts'
import type { Logins } from './logins.ts'

export type KeptStates = Pick<Vault, 'load' | 'replace' | 'remove'>

export type KeepLoginDeps = {
  readonly vault: KeptStates
  readonly logins: Pick<Logins, 'extend'>
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** Which state it is. */
export type SavedState = { readonly account: AccountId; readonly source: Source; readonly ref: string }

/**
 * What became of it. `unchanged`: the vault has nothing less; `gone`: the login has another state by now, or none;
 * `signed-out`: without the cookies by which a person is known to be signed in; `too-large`: longer than states may be.
 */
export type KeptLogin = 'saved' | 'unchanged' | 'gone' | 'signed-out' | 'too-large'

/**
 * Saves a state with these changes under its ref. Of two that save in the same moment the last one wins.
 *
 * @throws {StoreUnavailable}
 * @throws {VaultDamaged}
 */
export async function keepChanges(
  { vault, logins, now }: KeepLoginDeps,
  { account, source, ref }: SavedState,
  changes: readonly StateChange[],
  cause: Omit<Cause, 'accountId'>,
): Promise<KeptLogin> {
  if (changes.length === 0) return 'unchanged'
  const current = await vault.load(account, source.name, ref)
  if (current === undefined) return 'gone'
  const state = withChanges(current, changes)
  if (changesBetween(current, state, now()).length === 0) return 'unchanged'
  if (state.length > MOST_STATE_CHARS) return 'too-large'
  const validUntil = endOf(source, state, now())
  if (validUntil === undefined) return 'signed-out'
  await vault.replace(account, source.name, ref, state)
  // Asked after the write: whoever ends the login from here on finds what to destroy.
  if (await logins.extend(account, source.name, { ref, validUntil }, cause)) return 'saved'
  await vault.remove(account, source.name, ref)
  return 'gone'
}

/** When a person is signed in by it, until when; see {@link signedInUntil}. */
const endOf = ({ login, origin }: Source, state: string, now: number): number | null | undefined =>
  login && signedInUntil(markersOf(login, origin), cookiesIn(state), now)
