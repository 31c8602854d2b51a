/**
 * Who makes a request.
 *
 * @module
 */
import type { AccountId, KeyId, PersonId } from '../domain/ids.ts'
import type { Scope } from '../domain/key.ts'

export type { KeyRefusal } from '../domain/key.ts'

/** An API key of one account, with what it may be used for. */
export type KeyPrincipal = {
  readonly kind: 'key'
  readonly keyId: KeyId
  readonly accountId: AccountId
  readonly scopes: readonly Scope[]
  /** the person who made it: it opens nothing once they are no member of the account any more */
  readonly madeBy?: PersonId | undefined
}
/** A key's, or the operator's: the holder of OPERATOR_KEY. */
export type Principal = KeyPrincipal | { readonly kind: 'operator' }
