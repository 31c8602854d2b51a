/**
 * Events as subscribers see them: CloudEvents 1.0 in JSON, with positions as text that includes the log's id.
 *
 * @module
 */
import type { DomainEvent } from '../domain/events.ts'
import type { Position, Recorded } from '../log/event-log.ts'

/** An event as a CloudEvents 1.0 object; `EventSchema` describes its fields. */
export type CloudEvent = ReturnType<typeof cloudEvent>

/** An event whose type this version of the service knows. */
export type Known = Recorded & { readonly event: DomainEvent }
/** Whether an event can be shown. Types of a newer version of the service are skipped. */
export const isKnown = (recorded: Recorded): recorded is Known => recorded.event !== undefined

/**
 * The name of the schema of a type's data in one version. A URN and not a URL, so that it is the same on every host.
 */
export const dataSchema = (type: string, v: string): string => `urn:gleaner:event/${type}/${v}`

/** @param logId the log that contains the event */
export function cloudEvent({ id, stream, position, event, meta }: Known, logId: string) {
  return {
    specversion: '1.0',
    id: id as string,
    type: `gleaner.${event.type}`,
    source: `/accounts/${meta.account_id}`,
    subject: stream,
    time: meta.at,
    datacontenttype: 'application/json',
    dataschema: dataSchema(event.type, meta.v),
    sequence: formatPosition(position, logId),
    actor: meta.actor,
    correlationid: meta.$correlationId,
    causationid: meta.$causationId,
    data: event.data,
  }
}

/** A position as text: `<log>.<number>`. */
export const formatPosition = (position: number, logId: string): string => `${logId}.${position}`

/**
 * Parses a position.
 *
 * @returns undefined for text that is not a position in this log
 */
export function parsePosition(text: string, logId: string): Position | undefined {
  const digits = text.startsWith(`${logId}.`) ? text.slice(logId.length + 1) : ''
  if (!/^(0|[1-9]\d{0,15})$/.test(digits)) return undefined
  const position = Number(digits)
  return Number.isSafeInteger(position) ? (position as Position) : undefined
}
