/**
 * One node: its log, its faults, and its view of the other nodes.
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
  /** The version that it reports. */
  readonly version: string
  /** The running subscriptions. */
  readonly subscriptions: Set<Call>
}

/** Why this node refuses calls that only a leader serves; null when it is the leader. */
export function leaderRefusal({ self, membership: { leader } }: Node): Refusal | null {
  if (leader === self) return null
  return leader ? { leader } : 'no-leader'
}

/** Why this node refuses appends and deletes; null when it accepts them. */
export const refusalOf = (node: Node): Refusal | null => node.faults.refuseAppends ?? leaderRefusal(node)
