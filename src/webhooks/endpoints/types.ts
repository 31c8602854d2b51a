/**
 * The event types to which an endpoint may subscribe.
 *
 * @module
 */
import { EVENT_NAMES, type EventType, streamOf, TERMINAL_EVENTS } from '../../domain/events.ts'

/** All types that appear in the feeds of accounts: people and addresses belong to no account. */
export const WEBHOOK_TYPES: readonly EventType[] = EVENT_NAMES.filter(
  (name) => !['person', 'address'].includes(streamOf(name)),
)
/** The types of an endpoint that names none: the ends of runs. */
export const DEFAULT_TYPES: readonly EventType[] = TERMINAL_EVENTS
