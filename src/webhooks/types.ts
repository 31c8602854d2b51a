/**
 * The event types to which an endpoint may subscribe.
 *
 * @module
 */
import { EVENT_NAMES, type EventType, TERMINAL_EVENTS } from '../domain/events.ts'

/** Events of people and addresses, which belong to no account and appear only in the operator's feed. */
const OPERATOR_ONLY: ReadonlySet<EventType> = new Set([
  'PersonJoined',
  'PasswordChanged',
  'IdentityLinked',
  'SessionsRevoked',
  'OperatorGranted',
  'OperatorRevoked',
  'PersonErased',
  'AddressClaimed',
  'AddressReleased',
] as const)

/** All types that appear in the feeds of accounts. */
export const WEBHOOK_TYPES: readonly EventType[] = EVENT_NAMES.filter((name) => !OPERATOR_ONLY.has(name))
/** The types of an endpoint that names none: the ends of runs. */
export const DEFAULT_TYPES: readonly EventType[] = TERMINAL_EVENTS
