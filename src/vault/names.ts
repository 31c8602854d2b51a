/**
 * Where things lie in the vault, by key:
 *
 * - `<account>/key/<key id>`: a data key of an account, wrapped
 * - `<account>/state/<source>/<ref>`: a signed-in state, sealed by one of the account's data keys
 *
 * What is sealed is bound to its key, so that it opens nowhere else.
 *
 * @module
 */
import { type AccountId, parseAccountId, timeOrdered } from '../domain/ids.ts'

/** What a key of the vault names. */
export type Place =
  | { readonly kind: 'key'; readonly account: AccountId; readonly id: Buffer }
  | { readonly kind: 'state'; readonly account: AccountId; readonly source: string; readonly ref: string }

const REF = /^lgn_[0-9a-hjkmnp-tv-z]{26}$/
const SOURCE = /^[a-z][a-z0-9_]*$/
const KEY_ID = /^[0-9a-f]{32}$/

/**
 * A new ref of a state. Refs are in the order of their making, as far as clocks agree.
 *
 * @param ms milliseconds since 1970
 * @param random 10 random bytes
 */
export const newStateRef = (ms: number, random: Uint8Array): string => `lgn_${timeOrdered(ms, random)}`

export const keysOf = (account: AccountId): string => `${account}/key/`
export const keyPlace = (account: AccountId, id: Buffer): string => `${keysOf(account)}${id.toString('hex')}`

/** What all states of an account begin with, or those of one of its logins. @throws {TypeError} for no source's name */
export function statesOf(account: AccountId, source?: string): string {
  if (source === undefined) return `${account}/state/`
  if (!SOURCE.test(source)) throw new TypeError(`no source's name: ${JSON.stringify(source)}`)
  return `${account}/state/${source}/`
}

/** Undefined for what is no ref: events may hold what another version wrote. */
export const statePlace = (account: AccountId, source: string, ref: string): string | undefined =>
  REF.test(ref) ? `${statesOf(account, source)}${ref}` : undefined

/** Undefined for a key that is not of this form. */
export function parsePlace(key: string): Place | undefined {
  const [first = '', kind, third = '', ref = '', ...more] = key.split('/')
  const account = parseAccountId(first)
  if (!account || more.length > 0) return undefined
  if (kind === 'key' && KEY_ID.test(third) && ref === '')
    return { kind, account, id: Buffer.from(third, 'hex') }
  if (kind === 'state' && SOURCE.test(third) && REF.test(ref)) return { kind, account, source: third, ref }
  return undefined
}
