/**
 * The paths of objects in the vault:
 *
 * - `<owner>/key/<key id>`: a data key of an account, a person or the service (`people`), wrapped
 * - `<account>/state/<source>/<ref>`: a signed-in state, sealed by one of the account's data keys
 * - `<owner>/record/<name>`: a text, sealed by one of its owner's data keys: a person's name, address and password hash
 *
 * Sealed content is bound to its path and cannot be opened at another one.
 *
 * @module
 */
import { type AccountId, type PersonId, parseAccountId, parsePersonId, timeOrdered } from '../domain/ids.ts'

/** The owner of data keys and objects. `people`: the service, for all people. */
export type Owner = AccountId | PersonId | 'people'

/** A parsed path. */
export type VaultPath =
  | { readonly kind: 'key'; readonly owner: Owner; readonly id: Buffer }
  | { readonly kind: 'record'; readonly owner: Owner; readonly name: string }
  | { readonly kind: 'state'; readonly account: AccountId; readonly source: string; readonly ref: string }

const REF = /^lgn_[0-9a-hjkmnp-tv-z]{26}$/
/** The name of a source, or of a record. */
const NAME = /^[a-z][a-z0-9_]*$/
const KEY_ID = /^[0-9a-f]{32}$/

/**
 * A new ref of a state. Refs sort by their time of creation, as far as clocks agree.
 *
 * @param ms milliseconds since 1970
 * @param random 10 random bytes
 */
export const newStateRef = (ms: number, random: Uint8Array): string => `lgn_${timeOrdered(ms, random)}`

export const dataKeysOf = (owner: Owner): string => `${owner}/key/`
export const dataKeyPath = (owner: Owner, id: Buffer): string => `${dataKeysOf(owner)}${id.toString('hex')}`

/** @throws {TypeError} for an invalid name */
export function recordPath(owner: Owner, name: string): string {
  if (!NAME.test(name)) throw new TypeError(`invalid name of a record: ${JSON.stringify(name)}`)
  return `${owner}/record/${name}`
}

/** The prefix of all states of an owner, or of one of their logins. @throws {TypeError} for an invalid source name */
export function statesOf(owner: Owner, source?: string): string {
  if (source === undefined) return `${owner}/state/`
  if (!NAME.test(source)) throw new TypeError(`invalid source name: ${JSON.stringify(source)}`)
  return `${owner}/state/${source}/`
}

/** Undefined for an invalid ref: another version may have written the event that holds it. */
export const statePath = (account: AccountId, source: string, ref: string): string | undefined =>
  REF.test(ref) ? `${statesOf(account, source)}${ref}` : undefined

/** Undefined for a path of another form. */
export function parsePath(path: string): VaultPath | undefined {
  const [first = '', kind, third = '', ref = '', ...more] = path.split('/')
  const account = parseAccountId(first)
  const owner = account ?? parsePersonId(first) ?? (first === 'people' ? first : undefined)
  if (!owner || more.length > 0) return undefined
  if (kind === 'state' && account && NAME.test(third) && REF.test(ref))
    return { kind, account, source: third, ref }
  if (ref !== '') return undefined
  if (kind === 'key' && KEY_ID.test(third)) return { kind, owner, id: Buffer.from(third, 'hex') }
  if (kind === 'record' && NAME.test(third)) return { kind, owner, name: third }
  return undefined
}
