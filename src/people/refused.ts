/**
 * What people may not do.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'

/** Why something asked for by a person was not done; each has its own answer for them. */
export type PeopleProblem =
  | 'address-taken'
  | 'link-used'
  | 'not-found'
  | 'last-owner'
  | 'not-owner'
  | 'wrong-password'
  | 'wrong-address'

export class PeopleRefused extends Error {
  override readonly name = 'PeopleRefused'
  constructor(
    readonly problem: PeopleProblem,
    /** for `last-owner`: of which account */
    readonly account?: AccountId,
  ) {
    super(problem)
  }
}
