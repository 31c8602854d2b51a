/**
 * One row per call that carried an Idempotency-Key, and per form that creates something, so that a repeat is recognised.
 *
 * @module
 */
import type { EventData } from '../src/domain/events.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type OperationRow = Row & {
  readonly id: string
  readonly fingerprint: string
  readonly account_id: string
  /** id of the key, webhook or invitation that the call created */
  readonly created: string | null
  /** balance after the call; null when the call set no balance */
  readonly balance_after: number | null
  /** the account's entitlements after the call, if the call set them */
  readonly entitled: Pick<EventData<'EntitlementsSet'>, 'tasks' | 'limits' | 'suspended'> | null
}

const TYPES = [
  'AccountOpened',
  'EntitlementsSet',
  'CreditsGranted',
  'KeyCreated',
  'WebhookCreated',
  'MemberInvited',
  'LoginRequested',
] as const

export const operations: Projection<OperationRow, (typeof TYPES)[number]> = {
  name: 'operations',
  version: 4,
  types: TYPES,
  key: ({ event, position }) => event.data.operation?.id ?? `none:${position}`,
  apply(row, { event }) {
    const { operation, account_id } = event.data
    if (!operation) return null
    if (row) return row
    const call = { ...operation, account_id, created: null, balance_after: null, entitled: null }
    switch (event.type) {
      case 'KeyCreated':
        return { ...call, created: event.data.key_id }
      case 'WebhookCreated':
        return { ...call, created: event.data.webhook_id }
      case 'MemberInvited':
        return { ...call, created: event.data.invitation_id }
      case 'CreditsGranted':
        return { ...call, balance_after: event.data.balance_after }
      case 'EntitlementsSet': {
        const { tasks, limits, suspended, balance_after } = event.data
        return { ...call, balance_after, entitled: { tasks, limits, suspended } }
      }
      default:
        return call
    }
  },
  indexes: {},
}
