/**
 * How the fields of a task's items are filled: as usual, and lately.
 *
 * @module
 */
import type { Drift } from '../../../domain/health/drift.ts'
import type { Day } from '../../../health/days.ts'
import type { Shares } from '../../../health/standings.ts'
import { type Html, html } from '../../../html.ts'
import { counted } from '../../components/parts.ts'

/** The shares of a field's items with a value, from 0 to 1; undefined when unknown. */
export type FieldFill = {
  readonly field: string
  readonly usual: number | undefined
  /** over the last runs that are judged together */
  readonly runs: number | undefined
  /** over the last days together */
  readonly week: number | undefined
  /** on the latest day with items */
  readonly latest: number | undefined
  readonly isDrifting: boolean
}

const WEEK = 7

/** The fields of a task: those that lost the most first, then in the order of the columns. */
export function fieldFills(
  fields: readonly string[],
  usual: Shares | null,
  latestRuns: Shares,
  days: readonly Day[],
  drift: readonly Drift[],
): readonly FieldFill[] {
  const filled = days.filter(({ fill }) => Object.keys(fill).length > 0).slice(-WEEK)
  const drifting = new Set(drift.map(({ field }) => field))
  return fields
    .map((field): FieldFill => {
      const shares = filled.flatMap(({ fill, runs }) => {
        const share = fill[field]
        return share === undefined ? [] : [{ share, runs }]
      })
      const runs = shares.reduce((sum, each) => sum + each.runs, 0)
      const week = shares.reduce((sum, { share, runs }) => sum + share * runs, 0) / runs
      return {
        field,
        usual: usual?.[field],
        runs: latestRuns[field],
        week: runs > 0 ? week : undefined,
        latest: filled.at(-1)?.fill[field],
        isDrifting: drifting.has(field),
      }
    })
    .toSorted((a, b) => Number(b.isDrifting) - Number(a.isDrifting) || lossOf(b) - lossOf(a))
}

/** How much less than usual the last runs fill a field; fields that are as usual keep their order. */
function lossOf({ usual = 0, runs }: FieldFill): number {
  return runs !== undefined && runs < usual / 2 ? usual - runs : 0
}

const isNeverFilled = ({ usual, runs, week, latest }: FieldFill): boolean =>
  !usual && !runs && !week && !latest

/** The fields as a table; those that are never filled are named below it. */
export function fieldTable(task: string, fills: readonly FieldFill[]): Html {
  const shown = fills.filter((fill) => !isNeverFilled(fill))
  const never = fills.filter(isNeverFilled)
  const lost = shown.filter((fill) => lossOf(fill) > 0).length
  const rows = shown.map((fill) => {
    const { field, usual, runs, week, latest } = fill
    const cells = [usual, runs, week, latest]
    return html`<tr><th scope="row"><code>${field}</code>${(fill.isDrifting || lossOf(fill) > 0) && html` <span class="badge${fill.isDrifting && ' warn'}">${fill.isDrifting ? 'drifting' : 'lower'}</span>`}</th>${cells.map((share) => html`<td>${shareText(share)}</td>`)}</tr>`
  })
  const head = ['Usual', 'Last runs', 'Last 7 days', 'Latest day']
  const isKnown = shown.some(({ usual }) => usual !== undefined)
  const summary =
    lost > 0 ? `${lost} of ${shown.length} lower than usual` : `${shown.length}${isKnown ? ', as usual' : ''}`
  if (fills.length === 0 || shown.length === 0) return html``
  return html`<details><summary>Fields: ${summary}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="${task}: fields"><table class="days numbers"><thead><tr><th scope="col">Field</th>${head.map((label) => html`<th scope="col">${label}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>
<p class="hint">The share of items that have a value. “Last runs” are the last 20 that succeeded.</p>
${never.length > 0 && html`<details><summary>${counted(never.length, 'field')} never filled</summary><p>${never.map(({ field }, i) => html`${i > 0 && ', '}<code>${field}</code>`)}</p></details>`}</details>`
}

/** A share in per cent; unknown ones are a dash. */
export const shareText = (share: number | undefined): string =>
  share === undefined ? '–' : share > 0 && share < 0.005 ? 'below 1%' : `${Math.round(100 * share)}%`
