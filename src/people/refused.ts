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
  | 'joined'
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

/**
 * Waits for what may be refused.
 *
 * @returns why it was refused; undefined when it was done
 * @throws what `act` rejects with otherwise
 */
export async function refusalOf(act: Promise<unknown>): Promise<PeopleRefused | undefined> {
  try {
    await act
    return undefined
  } catch (error) {
    if (error instanceof PeopleRefused) return error
    throw error
  }
}
