/**
 * The credits of one run, as recorded in its account's stream.
 *
 * @module
 */
import type { Actor, DomainEvent } from './events.ts'

/** The charges and refunds of one run, in credits. */
export type RunCredits = {
  readonly charged: number
  readonly refunded: number
  /** further blocks charged, not counting the kickoff */
  readonly blocks: number
  /** `reason` of the kickoff charge: the task; undefined until it is charged */
  readonly reason: string | undefined
  /** the actor of the kickoff charge: who started the run; undefined until it is charged */
  readonly startedBy: Actor | undefined
}

/** One run's credits after a charge or refund. @param actor of the event */
export function evolveRunCredits(
  credits: RunCredits | undefined,
  event: DomainEvent<'CreditsCharged' | 'CreditsRefunded'>,
  actor: Actor,
): RunCredits {
  const before = credits ?? NOTHING_PAID
  if (event.type === 'CreditsRefunded') return { ...before, refunded: before.refunded + event.data.amount }
  const { amount, block, reason } = event.data
  return {
    ...before,
    charged: before.charged + amount,
    blocks: block === undefined ? before.blocks : Math.max(before.blocks, block),
    ...(block === undefined && { reason, startedBy: actor }),
  }
}

const NOTHING_PAID: RunCredits = {
  charged: 0,
  refunded: 0,
  blocks: 0,
  reason: undefined,
  startedBy: undefined,
}
