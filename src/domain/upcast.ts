/**
 * Converts old events to the current version when they are read, before any fold or projection sees them.
 *
 * @module
 */
import { type DomainEvent, EVENT_TYPES, isEventType } from './events.ts'

type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>

/** `UPCASTERS[type][v]` turns data of version `v` into data of version `v + 1`. Every version is 1 so far. */
const UPCASTERS: Readonly<Record<string, Readonly<Record<number, Upcaster>>>> = {}

/**
 * Converts an event of any stored version to the current one.
 *
 * @returns undefined for an unknown type, or for a version newer than this program knows. Readers skip it, so that an
 *   old node survives the events of a new one.
 * @throws when the version never existed, or when the upcaster of an older version is missing: a defect
 */
export function upcast(type: string, v: number, data: unknown): DomainEvent | undefined {
  if (!isEventType(type)) return undefined
  const current = EVENT_TYPES[type].v
  if (v > current) return undefined
  if (!(v >= 1)) throw new Error(`${type} ${v} is not a valid event version`)
  let value = data as Record<string, unknown>
  for (let from = v; from < current; from++) {
    const step = UPCASTERS[type]?.[from]
    if (!step) throw new Error(`no upcaster for ${type} ${from}`)
    value = step(value)
  }
  return { type, data: value } as DomainEvent
}
