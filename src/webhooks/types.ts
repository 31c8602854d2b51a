/**
 * The event types that an endpoint may ask for.
 *
 * @module
 */
import { EVENT_NAMES, type EventType, TERMINAL_EVENTS } from '../domain/events.ts'

/** Events of people and addresses: they belong to no account and are in the operator's feed alone. */
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

/** All that accounts see in their feed. */
export const WEBHOOK_TYPES: readonly EventType[] = EVENT_NAMES.filter((name) => !OPERATOR_ONLY.has(name))
/** What an endpoint gets that names no types: the ends of runs. */
export const DEFAULT_TYPES: readonly EventType[] = TERMINAL_EVENTS
