/**
 * The paths of objects in the vault:
 *
 * - `<account>/key/<key id>`: a data key of an account, wrapped
 * - `<account>/state/<source>/<ref>`: a signed-in state, sealed by one of the account's data keys
 *
 * What is sealed is bound to its path, so that it opens nowhere else.
 *
 * @module
 */
import { type AccountId, parseAccountId, timeOrdered } from '../domain/ids.ts'

/** What lies at a path. */
export type VaultPath =
  | { readonly kind: 'key'; readonly account: AccountId; readonly id: Buffer }
  | { readonly kind: 'state'; readonly account: AccountId; readonly source: string; readonly ref: string }

const REF = /^lgn_[0-9a-hjkmnp-tv-z]{26}$/
const SOURCE = /^[a-z][a-z0-9_]*$/
const KEY_ID = /^[0-9a-f]{32}$/

/**
 * A new ref of a state. Refs sort by their time of creation, as far as clocks agree.
 *
 * @param ms milliseconds since 1970
 * @param random 10 random bytes
 */
export const newStateRef = (ms: number, random: Uint8Array): string => `lgn_${timeOrdered(ms, random)}`

export const dataKeysOf = (account: AccountId): string => `${account}/key/`
export const dataKeyPath = (account: AccountId, id: Buffer): string =>
  `${dataKeysOf(account)}${id.toString('hex')}`

/** The prefix of all states of an account, or of one of its logins. @throws {TypeError} for an invalid source name */
export function statesOf(account: AccountId, source?: string): string {
  if (source === undefined) return `${account}/state/`
  if (!SOURCE.test(source)) throw new TypeError(`invalid source name: ${JSON.stringify(source)}`)
  return `${account}/state/${source}/`
}

/** Undefined for an invalid ref: events may hold what another version wrote. */
export const statePath = (account: AccountId, source: string, ref: string): string | undefined =>
  REF.test(ref) ? `${statesOf(account, source)}${ref}` : undefined

/** Undefined for a path of another form. */
export function parsePath(path: string): VaultPath | undefined {
  const [first = '', kind, third = '', ref = '', ...more] = path.split('/')
  const account = parseAccountId(first)
  if (!account || more.length > 0) return undefined
  if (kind === 'key' && KEY_ID.test(third) && ref === '')
    return { kind, account, id: Buffer.from(third, 'hex') }
  if (kind === 'state' && SOURCE.test(third) && REF.test(ref)) return { kind, account, source: third, ref }
  return undefined
}
