/**
 * Where an account's events stand: one row an account and stretch of the log, with the revisions of each stream that
 * lie in it. For logs that have no index by account of their own; the feed of an account reads by it.
 *
 * @module
 */
import { EVENT_NAMES, type EventType } from '../src/domain/events.ts'
import type { StreamName } from '../src/domain/ids.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type AccountEventsRow = Row & {
  readonly account_id: string
  /** the number of the stretch, see {@link stretchOf} */
  readonly stretch: number
  /** for each stream the first and the last revision that lie there */
  readonly streams: { readonly [stream: StreamName]: readonly [from: number, to: number] }
}

/**
 * How long a stretch is, in positions, which EventStoreDB counts in bytes: a few hundred events at most, so that a page
 * reads little more than it shows, and the row of a busy account stays small.
 */
const STRETCH = 128 * 1024

/** The stretch in which a position lies, counted from 0. */
export const stretchOf = (position: number): number => Math.floor(position / STRETCH)

export const accountEvents: Projection<AccountEventsRow> = {
  name: 'account_events',
  // Events of types that are not known are not in the rows: with each new type the rows are made anew.
  version: EVENT_NAMES.length,
  types: EVENT_NAMES as readonly EventType[],
  key: ({ meta, position }) => `${meta.account_id}:${stretchOf(position)}`,
  apply: (row, { stream, revision, position, meta }) => ({
    account_id: meta.account_id,
    stretch: stretchOf(position),
    streams: { ...row?.streams, [stream]: [row?.streams[stream]?.[0] ?? revision, revision] },
  }),
  indexes: { by_account: ['account_id', 'stretch'] },
}
