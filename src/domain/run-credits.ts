/**
 * The credits of one run, as its account's stream tells them.
 *
 * @module
 */
import type { DomainEvent } from './events.ts'

/** What one run has taken and got back, in credits. */
export type RunCredits = {
  readonly charged: number
  readonly refunded: number
  /** further blocks paid for: the kickoff is not counted */
  readonly blocks: number
  /** what the kickoff charge was for, as its `reason` says: the task */
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
