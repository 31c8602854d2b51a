/**
 * How the runs of the canary fill the fields of their items, beside what is usual.
 *
 * @module
 */
import type { HealthRow } from '../../../projections/health.ts'
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import type { Drift } from '../../domain/health/drift.ts'
import type { FillHistory } from '../../domain/health/fill-history.ts'
import { isKnown } from '../../domain/health/inputs.ts'
import { shareAt } from '../../domain/health/shares.ts'
import type { RunFill } from '../../domain/run-events.ts'
import type { Shares } from '../standings.ts'

/** A field of few items is below half of its usual share by chance, unless at least so many values were to be expected. */
const EXPECTED_VALUES = 2
/** How many standard deviations are no coincidence. */
const DEVIATIONS = 3
/** So many earlier runs of an input tell what it has. */
const KNOWN_RUNS = 2

/** The fields that are filled in at most half of the usual share of a run's items. */
export const below = (fields: readonly string[], fill: RunFill, usual: Shares): readonly Drift[] =>
  fields.flatMap((field, i) => {
    const [was, now] = [usual[field], shareIn(fill, i)]
    if (was === undefined || now === undefined) return []
    return was * fill.items >= EXPECTED_VALUES && now <= was / 2 ? [{ field, was, now }] : []
  })

/**
 * The fields that lost their values, by all runs of a task together: inputs are compared with their own earlier runs. What
 * recordings have is no measure for that: it depends on the input, and on the route by which a source answers.
 *
 * @param row of the task before these runs
 * @param fills of runs with different inputs
 */
export function lost(
  { fields, schema }: Pick<CatalogueTask, 'fields' | 'schema'>,
  row: Pick<HealthRow, 'fill'> | undefined,
  fills: readonly RunFill[],
): readonly Drift[] {
  const history = row?.fill
  if (history?.schema !== schema) return []
  return fields.flatMap((field, i) => {
    const compared = fills.flatMap((fill) => {
      const [was, now] = [earlier(history, fill.input, i), shareIn(fill, i)]
      return was === undefined || now === undefined ? [] : [{ was, now }]
    })
    return isLost(field, compared)
  })
}

/** The mean share of a field in earlier runs of an input; undefined when there are too few. */
function earlier(history: FillHistory, hash: string, field: number): number | undefined {
  const runs = history.runs.filter(([input, items]) => input === hash && items > 0)
  const shares = runs.flatMap(([, , packed]) => shareAt(packed, field) ?? [])
  if (shares.length >= KNOWN_RUNS) return shares.reduce((sum, share) => sum + share, 0) / shares.length / 1000
  const input = history.inputs.find((each) => each[0] === hash)
  const mean = isKnown(input) ? shareAt(input[3], field) : null
  return mean === null ? undefined : mean / 1000
}

function isLost(field: string, compared: readonly { readonly was: number; readonly now: number }[]): Drift[] {
  const mean = (which: 'was' | 'now') =>
    Math.round((1000 * compared.reduce((sum, each) => sum + each[which], 0)) / compared.length) / 1000
  if (compared.length === 0) return []
  const [was, now] = [mean('was'), mean('now')]
  const deviation = Math.sqrt((was * (1 - was)) / compared.length)
  return now <= was / 2 && was - now > DEVIATIONS * deviation ? [{ field, was, now }] : []
}

/** The share of a run's items with a field; undefined without items, or when no item could have it. */
function shareIn({ items, shares }: RunFill, field: number): number | undefined {
  const share = shares[field]
  return items === 0 || share === undefined || share === null ? undefined : share / 1000
}
