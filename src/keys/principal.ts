/**
 * The caller of a request.
 *
 * @module
 */
import type { AccountId, KeyId, PersonId } from '../domain/ids.ts'
import type { Scope } from '../domain/roles.ts'

export type { KeyIssue } from '../domain/key.ts'

/** An API key of one account, with its scopes. */
export type KeyPrincipal = {
  readonly kind: 'key'
  readonly keyId: KeyId
  readonly accountId: AccountId
  readonly scopes: readonly Scope[]
  /** the person who created the key, directly or with another key: it can do no more than their current role permits */
  readonly madeBy?: PersonId | undefined
}
/** A key, or the operator: the holder of OPERATOR_KEY. */
export type Principal = KeyPrincipal | { readonly kind: 'operator' }
