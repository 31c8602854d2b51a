/**
 * One row per task: how its latest runs ended and how they were filled, across all accounts, which run failed last, and
 * the last announced change. `/v1/tasks` shows it as `health` and `drift`.
 *
 * @module
 */
import { CANARY_ACCOUNT_ID, type CanaryEnd, canaryEnd } from '../src/domain/health/canary.ts'
import { type Telling, tellingOf } from '../src/domain/health/ends.ts'
import { type FillHistory, withAnnouncement, withFill } from '../src/domain/health/fill-history.ts'
import { type DriftSpan, withSpan } from '../src/domain/health/spans.ts'
import {
  type Announced,
  type HealthByEnds,
  healthOf,
  MOST_ENDS,
  standingAt,
} from '../src/domain/health/standing.ts'
import type { AccountId, RunId } from '../src/domain/ids.ts'
import type { Handled, Projection, Row } from '../src/read/read-models.ts'

/** `health` and `health_since` are by the ends alone and as of the latest one; `standingsOf` has them now. */
export type HealthRow = Row &
  HealthByEnds & {
    readonly task_key: string
    /** oldest first */
    readonly ends: readonly Telling[]
    /** the last run whose end was not good; null without one */
    readonly last_failure: {
      /** RFC 3339 */
      readonly at: string
      readonly code: string
      readonly run_id: RunId
      readonly account_id: AccountId
    } | null
    /** null before the first run that says how its items were filled */
    readonly fill: FillHistory | null
    /** the last end of the canary's runs; null without one */
    readonly canary: (CanaryEnd & { readonly run_id: RunId }) | null
    /** the last announced change; null without one */
    readonly announced: Announced | null
    /** the latest times in which it was announced as drifting, oldest first */
    readonly drifts: readonly DriftSpan[]
  }

type End = 'RunSucceeded' | 'RunFailed' | 'RunErrored' | 'RunExpired'
type Type = End | 'TaskHealthChanged'

export const health: Projection<HealthRow, Type> = {
  name: 'health',
  version: 4,
  types: ['RunSucceeded', 'RunFailed', 'RunErrored', 'RunExpired', 'TaskHealthChanged'],
  key: ({ event }) => event.data.task_key,
  apply(row, handled) {
    const { event, meta } = handled
    const { task_key } = event.data
    if (event.type === 'TaskHealthChanged')
      return withChange(row ?? emptyRow(task_key, meta.at), event.data, meta.at)
    const telling = tellingOf(event.data.code, meta.at)
    return telling
      ? withEnd(row ?? emptyRow(task_key, meta.at), telling, handled as Handled<End>)
      : (row ?? null)
  },
  indexes: {},
}

const emptyRow = (task_key: string, at: string): HealthRow => ({
  task_key,
  ends: [],
  health: 'unknown',
  health_since: at,
  last_failure: null,
  fill: null,
  canary: null,
  announced: null,
  drifts: [],
})

/** Further lost fields do not begin a state anew. */
function withChange(
  row: HealthRow,
  {
    from,
    to,
    drift,
  }: {
    readonly from: Announced['from']
    readonly to: Announced['health']
    readonly drift: Announced['drift']
  },
  at: string,
): HealthRow {
  const announced =
    from === to && row.announced?.health === to
      ? { ...row.announced, drift }
      : { health: to, from, at, drift }
  return {
    ...row,
    announced,
    drifts: withSpan(row.drifts, to, at),
    fill: row.fill && withAnnouncement(row.fill, drift.length > 0),
  }
}

function withEnd(row: HealthRow, telling: Telling, { event, meta }: Handled<End>): HealthRow {
  const canary =
    meta.account_id === CANARY_ACCOUNT_ID
      ? { ...canaryEnd(row.canary, telling), run_id: event.data.run_id }
      : row.canary
  const next = { ...row, canary, fill: filled(row, event.data.fill, meta.at) }
  if (canary !== row.canary && canary?.pending) return next
  const { at, good, code } = telling
  const ends = [...row.ends.slice(1 - MOST_ENDS), telling]
  const health = healthOf(ends, Date.parse(at))
  const before = row.ends.length > 0 && standingAt(row, row.ends, Date.parse(at))
  return {
    ...next,
    ends,
    health,
    health_since: before && before.health === health ? before.health_since : at,
    last_failure:
      good || code === null
        ? row.last_failure
        : { at, code, run_id: event.data.run_id, account_id: meta.account_id as AccountId },
  }
}

const filled = (
  { fill, announced }: HealthRow,
  run: Parameters<typeof withFill>[1] | undefined,
  at: string,
): FillHistory | null =>
  run ? withFill(fill, run, Date.parse(at), (announced?.drift.length ?? 0) > 0) : fill
