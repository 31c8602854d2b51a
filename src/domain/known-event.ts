/**
 * Recognises events of a log when they are read, before any fold or projection sees them.
 *
 * @module
 */
import { type DomainEvent, EVENT_TYPES, isEventType } from './events.ts'

/**
 * The event of a stored type and version.
 *
 * @returns undefined for an unknown type, or for a version newer than this program knows. Readers skip it, so that an
 *   old node survives the events of a new one.
 * @throws when this program does not read the version any more
 */
export function knownEvent(type: string, v: number, data: unknown): DomainEvent | undefined {
  if (!isEventType(type)) return undefined
  const current = EVENT_TYPES[type].v
  if (v > current) return undefined
  if (v !== current)
    throw new Error(
      `The event log contains ${type} in version ${v}, and this program reads version ${current}. The log was written during development: start with an empty one.`,
    )
  return { type, data } as DomainEvent
}
