/**
 * The error of every refused command.
 *
 * @module
 */
import type { Refusal } from '../domain/decider.ts'

/** A command was refused, and nothing was changed. `refusal` says why, as the domain decided. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(readonly refusal: Refusal & { readonly [fact: string]: unknown }) {
    super(`refused: ${refusal.refused}`)
  }

  /** The code of the refusal. */
  get code(): string {
    return this.refusal.refused
  }
}

/**
 * Awaits an action that may be refused.
 *
 * @returns the refusal; undefined when the action was done
 * @throws any other error of `act`
 */
export async function refusalOf(act: Promise<unknown>): Promise<Refused | undefined> {
  try {
    await act
    return undefined
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}
