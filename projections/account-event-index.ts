/**
 * Locates an account's events: one row per account and stretch of the log, with the revisions of each stream in that
 * stretch. An account's feed uses it to read from logs that have no index by account.
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
  /** for each stream, its first and last revision in the stretch */
  readonly streams: { readonly [stream: StreamName]: readonly [from: number, to: number] }
}

/**
 * The length of a stretch in positions, which EventStoreDB counts in bytes. A stretch holds a few hundred events at
 * most: a page reads little more than it shows, and the row of a busy account stays small.
 */
const STRETCH = 128 * 1024

/** The number of the stretch that contains a position, counted from 0. */
export const stretchOf = (position: number): number => Math.floor(position / STRETCH)

export const accountEvents: Projection<AccountEventsRow> = {
  name: 'account_events',
  // Rows leave out events of unknown types, so each new event type requires a rebuild.
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
