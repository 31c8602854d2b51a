/**
 * One node: its log, its faults, and what it knows of the others.
 *
 * @module
 */
import type { Faults, Refusal } from './faults.ts'
import type { Call } from './grpc.ts'
import type { Log } from './log.ts'
import type { Member, Membership } from './membership.ts'
import type { SubscriptionManners } from './subscriptions.ts'

export type Node = {
  readonly log: Log
  readonly faults: Faults
  readonly membership: Membership
  readonly self: Member
  readonly manners: SubscriptionManners
  /** What it says its version is. */
  readonly version: string
  /** The subscriptions that run. */
  readonly subscriptions: Set<Call>
}

/** Why this node does not do what only a leader does; null when it is the leader. */
export function leaderRefusal({ self, membership: { leader } }: Node): Refusal | null {
  if (leader === self) return null
  return leader ? { leader } : 'no-leader'
}

/** Why this node takes no appends and deletes now; null when it takes them. */
export const refusalOf = (node: Node): Refusal | null => node.faults.refuseAppends ?? leaderRefusal(node)
