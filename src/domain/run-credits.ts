/**
 * The credits of one run, as recorded in its account's stream.
 *
 * @module
 */
import type { DomainEvent } from './events.ts'

/** The charges and refunds of one run, in credits. */
export type RunCredits = {
  readonly charged: number
  readonly refunded: number
  /** further blocks charged, not counting the kickoff */
  readonly blocks: number
  /** `reason` of the kickoff charge: the task; undefined until it is charged */
  readonly reason: string | undefined
}

/** One run's credits after a charge or refund. */
export function evolveRunCredits(
  credits: RunCredits | undefined,
  event: DomainEvent<'CreditsCharged' | 'CreditsRefunded'>,
): RunCredits {
  const before = credits ?? { charged: 0, refunded: 0, blocks: 0, reason: undefined }
  if (event.type === 'CreditsRefunded') return { ...before, refunded: before.refunded + event.data.amount }
  const { amount, block, reason } = event.data
  return {
    ...before,
    charged: before.charged + amount,
    blocks: block === undefined ? before.blocks : Math.max(before.blocks, block),
    reason: block === undefined ? reason : before.reason,
  }
}
