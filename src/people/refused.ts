/**
 * Refusals of requests by people.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'

/** Why a person's request was refused; each reason has its own answer. */
export type PeopleProblem =
  | 'address-taken'
  | 'link-used'
  | 'not-found'
  | 'joined'
  | 'last-owner'
  | 'not-owner'
  | 'wrong-password'
  | 'no-password'
  | 'wrong-address'

export class PeopleRefused extends Error {
  override readonly name = 'PeopleRefused'
  constructor(
    readonly problem: PeopleProblem,
    /** for `last-owner`: the account */
    readonly account?: AccountId,
  ) {
    super(problem)
  }
}

/**
 * Awaits an action that may be refused.
 *
 * @returns the refusal; undefined when the action was done
 * @throws any other error of `act`
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
