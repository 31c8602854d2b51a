/**
 * The runs of an account, newest first, filtered by the address.
 *
 * @module
 */
import { runs } from '../../../../projections/runs.ts'
import { parseRunId } from '../../../domain/ids.ts'
import { mayAs } from '../../../domain/roles.ts'
import { type Html, html } from '../../../html.ts'
import { requireProjected } from '../../../read/wait-until-projected.ts'
import { count, counted, empty, time } from '../../components/parts.ts'
import { page } from '../../layout.ts'
import { seeOther } from '../../redirect.ts'
import { accountRoute } from '../../route.ts'
import { shownOnce } from '../../shown-once.ts'
import { Days, zoneOf } from '../../time-zone.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { runCsv } from './csv.ts'
import { type Filters, filterForm, filtersIn, queryOf } from './filters.ts'
import { spanOf } from './period.ts'
import { findRuns, type RunMatches, type RunSource, runSource } from './read.ts'
import { runTable } from './rows.ts'
import { isStartOfId, MOST_LOOKED, matcherOf } from './search.ts'
import { SELECTION, selectionBar, selectionPages } from './selection.ts'

export const runsPages = [
  accountRoute('GET', '/runs', 'viewer', show),
  accountRoute('GET', '/runs/csv', 'viewer', csv),
  ...selectionPages,
]

const PAGE = 50
/** Matches are counted up to this number. */
const MOST_COUNTED = 1000

async function show(visitor: AccountVisitor): Promise<Response> {
  const { deps, own, role, url } = visitor
  const filters = filtersIn(url.searchParams, deps.catalogue)
  const runId = parseRunId(filters.q.toLowerCase())
  if (runId && (await deps.runs.find(runId, visitor.accountId))) return seeOther(`${own}/runs/${runId}`)
  await requireProjected(deps, runs)
  const source = await sourceOf(visitor, filters)
  const part = await partOf(visitor, source, filters)
  const [only] = part.rows
  if (only && isStartOfId(filters.q) && part.rows.length === 1 && part.older === null)
    return seeOther(`${own}/runs/${only.run_id}`)
  const query = queryOf(filters)
  const isFiltered = query.size > 0
  const mayRun = mayAs(role, 'member')
  const none = isFiltered
    ? empty(nothingIn(part), html`<p><a class="button quiet" href="${own}/runs">Clear the filters</a></p>`)
    : empty(
        'There are no runs yet.',
        mayRun && html`<p><a class="button" href="${own}/tasks">Start a run</a></p>`,
      )
  const body = html`${await shownOnce(visitor)}
${await filterForm(visitor, filters, zoneOf(visitor.call.request))}
<div class="list-head">${await aboutRuns(source, filters, part)}${part.rows.length > 0 && selectionBar(visitor, listQuery(url))}</div>
${await runTable(visitor, { label: 'Runs', runs: part.rows.map(({ run }) => run), none, isLive: true, chosenBy: SELECTION })}
${pager(`${own}/runs`, query, part)}`
  const actions = html`<div class="actions">${part.rows.length > 0 && html`<a class="button quiet" href="${own}/runs/csv?${String(query)}">Download CSV</a>`}${mayRun && html`<a class="button" href="${own}/tasks">New run</a>`}</div>`
  return page(visitor, { title: 'Runs', actions, body, live: `${own}/changes` })
}

async function sourceOf(visitor: AccountVisitor, filters: Filters): Promise<RunSource> {
  const { deps, accountId, call } = visitor
  const days = new Days(zoneOf(call.request))
  const from = filters.from === undefined ? undefined : days.start(filters.from)
  const to = filters.to === undefined ? undefined : days.end(filters.to)
  return runSource(
    deps.readModels,
    accountId,
    filters,
    await spanOf(deps.readModels, accountId, { from, to }),
  )
}

/** A page of the list, newest first, with the positions where older and newer ones begin. */
type Part = Pick<RunMatches, 'rows' | 'looked' | 'last'> & {
  readonly older: number | null
  readonly newer: number | null
  /** in which direction the runs were looked at */
  readonly to: 'back to' | 'up to'
}

/** The page that the address asks for: `before` and `after` are positions. */
async function partOf(visitor: AccountVisitor, source: RunSource, filters: Filters): Promise<Part> {
  const { searchParams } = visitor.url
  const matches = matcherOf(visitor, filters)
  const most = filters.q === '' ? MOST_LOOKED.starters : MOST_LOOKED.titles
  const options = { limit: PAGE, most, matches }
  const after = positionIn(searchParams.get('after'))
  if (after !== undefined) {
    const { rows, next, looked, last } = await findRuns(source, { ...options, order: 'ascending', after })
    // Without a whole page of newer runs, the newest ones are shown.
    if (next !== null)
      return {
        rows: rows.toReversed(),
        older: rows[0]?.created ?? after + 1,
        newer: next,
        looked,
        last,
        to: 'up to',
      }
  }
  const before = positionIn(searchParams.get('before'))
  const matching = await findRuns(source, { ...options, order: 'descending', after: before })
  const newer = before === undefined ? null : (matching.rows[0]?.created ?? before - 1)
  return { ...matching, older: matching.next, newer, to: 'back to' }
}

const positionIn = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** What an empty page of a filtered list says. */
function nothingIn({ older, newer, to }: Part): string {
  if (to === 'up to' || older !== null) return 'No match so far.'
  return newer === null ? 'No run matches.' : 'No older run matches.'
}

/** How many runs match, or how far they were searched. */
async function aboutRuns(
  source: RunSource,
  filters: Filters,
  { rows, looked, last, older, newer, to }: Part,
): Promise<Html | false> {
  if (filters.q !== '' || filters.by !== undefined) {
    const further = to === 'up to' ? newer : older
    if (last === undefined || (rows.length === 0 && further === null)) return false
    const shown = rows.length === 1 ? '1 match' : `${count(rows.length)} matches`
    return html`<p class="hint">${shown} among ${counted(looked, 'run')}, ${to} ${time(last.run.createdAt)}.${further !== null && rows.length < PAGE && ` “${to === 'up to' ? 'Newer' : 'Older'}” looks further.`}</p>`
  }
  const all = await source.count(MOST_COUNTED + 1)
  if (all === 0) return false
  return html`<p class="hint">${all > MOST_COUNTED ? `More than ${count(MOST_COUNTED)} runs` : counted(all, 'run')}${queryOf(filters).size > 0 && (all === 1 ? ' matches' : ' match')}.</p>`
}

/** Links to the other pages. @param path of the list */
function pager(path: string, query: URLSearchParams, { older, newer }: Part): Html | false {
  if (older === null && newer === null) return false
  const at = (name: string, value: number) =>
    `${path}?${new URLSearchParams([...query, [name, String(value)]])}`
  const first = query.size > 0 ? `${path}?${query}` : path
  return html`<nav class="actions pager" aria-label="Pages">
${newer !== null && html`<a class="button quiet" href="${first}">Newest</a><a class="button quiet" href="${at('after', newer)}" rel="prev">Newer</a>`}
${older !== null && html`<a class="button quiet" href="${at('before', older)}" rel="next">Older</a>`}</nav>`
}

/** The query of the list's address, to come back to it. */
const listQuery = ({ searchParams }: URL): string => searchParams.toString()

/** Answers with all runs of the list, not only those of the page. */
async function csv(visitor: AccountVisitor): Promise<Response> {
  const { deps, url } = visitor
  const filters = filtersIn(url.searchParams, deps.catalogue)
  await requireProjected(deps, runs)
  return runCsv(visitor, await sourceOf(visitor, filters), matcherOf(visitor, filters))
}
