/**
 * Who makes a request.
 *
 * @module
 */
import type { AccountId, KeyId, PersonId } from '../domain/ids.ts'
import type { Scope } from '../domain/key.ts'

/** An API key of one account, with what it may be used for. */
export type KeyPrincipal = {
  readonly kind: 'key'
  readonly keyId: KeyId
  readonly accountId: AccountId
  readonly scopes: readonly Scope[]
  /** the person who made it: it opens nothing once they are no member of the account any more */
  readonly madeBy?: PersonId | undefined
}
/** The holder of OPERATOR_KEY. */
export type OperatorPrincipal = { readonly kind: 'operator' }
export type Principal = KeyPrincipal | OperatorPrincipal

/** Why a key is refused: 401 with this code. */
export type KeyRefusal = 'invalid-key' | 'revoked-key' | 'expired-key'
