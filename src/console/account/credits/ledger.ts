/**
 * The ledger of an account: its filter and its entries.
 *
 * @module
 */
import { type LedgerRow, ledger } from '../../../../projections/ledger.ts'
import { runs } from '../../../../projections/runs.ts'
import { type Html, html } from '../../../html.ts'
import { decodeCursor, encodeCursor } from '../../../http/lists.ts'
import { requireProjected } from '../../../read/wait-until-projected.ts'
import { select } from '../../components/forms.ts'
import { count, empty, more, table, time } from '../../components/parts.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { taskTitle } from '../runs/words.ts'
import { starterNames } from '../starters.ts'
import { chosenIn, fieldsOf, KINDS, linkTo } from './address.ts'

const PAGE = 50
/** Entries that are read at once for a filtered page. */
const PART = 500
/** Limit of entries that are read to fill a filtered page. The next page goes on from there. */
const MOST_PASSED = 3000

/** Credits of an entry, negative for a charge. */
export const signed = ({ kind, amount }: LedgerRow): number => (kind === 'charged' ? -amount : amount)

/** The page of the ledger that the address chooses; undefined for an account without any entry. */
export async function ledgerSection(visitor: AccountVisitor): Promise<Html | undefined> {
  const { own, url } = visitor
  const { searchParams: query } = url
  const { kind, task } = chosenIn(query)
  const isFiltered = kind !== undefined || task !== undefined
  const { rows, next } = await pageOf(visitor, isFiltered)
  if (rows.length === 0 && !isFiltered) return undefined
  const older = next === null ? null : linkTo(own, query, {}, next)
  return html`<h2 id="ledger">Ledger</h2>${filter(visitor, isFiltered)}${
    rows.length === 0
      ? empty(
          next === null
            ? 'No entry matches these filters.'
            : `None of these ${count(MOST_PASSED)} entries matches. Look at older ones.`,
          clear(visitor),
        )
      : html`<div class="ledger">${table('Ledger', COLUMNS, await entries(visitor, rows))}</div>`
  }${more(older && `${older}#ledger`)}`
}

const COLUMNS = [
  'When',
  'What',
  'For',
  'Started by',
  { label: 'Amount', number: true },
  { label: 'Balance', number: true },
]

/** The entries of the page that the address chooses, newest first, and the cursor of the next page. */
async function pageOf(
  { deps, accountId, url }: AccountVisitor,
  isFiltered: boolean,
): Promise<{ readonly rows: readonly LedgerRow[]; readonly next: string | null }> {
  const { kind, task } = chosenIn(url.searchParams)
  const list = [ledger.name, deps.log.id, accountId]
  const cursor = url.searchParams.get('cursor')
  let after = cursor === null ? undefined : decodeCursor(list, cursor)
  await requireProjected(deps, ledger)
  const rows: LedgerRow[] = []
  const limit = isFiltered ? PART : PAGE + 1
  for (let passed = 0; passed < MOST_PASSED; passed += limit) {
    const query = { equals: [accountId], after, order: 'descending', limit } as const
    const part = await deps.readModels.list(ledger, 'by_account', query)
    const matching = part.filter(
      (row) => (kind === undefined || row.kind === kind) && (task === undefined || row.task_key === task),
    )
    rows.push(...matching.slice(0, PAGE + 1 - rows.length))
    if (rows.length > PAGE)
      return { rows: rows.slice(0, PAGE), next: encodeCursor(list, rows[PAGE - 1]!.revision) }
    if (part.length < limit) return { rows, next: null }
    after = part.at(-1)?.revision
  }
  return { rows, next: after === undefined ? null : encodeCursor(list, after) }
}

const clear = ({ own, url }: AccountVisitor): Html =>
  html`<a class="button quiet" href="${linkTo(own, url.searchParams, { kind: undefined, task: undefined })}#ledger">Clear</a>`

function filter(visitor: AccountVisitor, isFiltered: boolean): Html {
  const { deps, own, url } = visitor
  const chosen = chosenIn(url.searchParams)
  const { kind = '', task = '' } = chosen
  const tasks = deps.catalogue.tasks.map(({ key, declaration }) => [key, declaration.title] as const)
  // A task whose plugin was removed keeps its entries.
  const all = task === '' || deps.catalogue.get(task) ? tasks : [...tasks, [task, task] as const]
  const kinds = KINDS.map((each) => [each, WORDS[each]] as const)
  const kept = fieldsOf({ ...chosen, kind: undefined, task: undefined })
  return html`<form method="get" action="${own}/credits#ledger" class="filters">${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${select({ name: 'kind', label: 'What', value: kind, choices: [['', 'any'], ...kinds] })}
${select({ name: 'task', label: 'Task', value: task, choices: [['', 'any'], ...all] })}
<button class="quiet">Filter</button>${isFiltered && html` ${clear(visitor)}`}
</form>`
}

const WORDS: Readonly<Record<LedgerRow['kind'], string>> = {
  charged: 'Charged',
  refunded: 'Refunded',
  granted: 'Granted',
}

/** Why credits of a run came back, by the `reason` of the refund. */
const REFUND_REASONS: Readonly<Record<string, string>> = {
  succeeded: 'The run used less.',
  failed: 'The run failed.',
  errored: 'The service had a fault.',
  cancelled: 'The run was cancelled.',
  expired: 'The run expired.',
  'not-admitted': 'The run was not started.',
}

async function entries(visitor: AccountVisitor, rows: readonly LedgerRow[]) {
  const { deps, own } = visitor
  const ids = [...new Set(rows.flatMap(({ run_id }) => run_id ?? []))]
  const runRows = ids.length === 0 ? [] : await deps.readModels.getMany(runs, ids)
  const known = runRows.flatMap((row) => (row ? [row.run] : []))
  const [titles, names] = await Promise.all([
    deps.titles.ofMany(known),
    starterNames(
      deps,
      rows.map(({ actor }) => actor),
    ),
  ])
  const isKnown = new Set<string>(known.map(({ runId }) => runId))
  const what = (row: LedgerRow): Html | string => {
    const { run_id, task_key, reason, kind, block } = row
    if (run_id === null) return reason === 'opening' ? 'Opening of the account' : (reason ?? '')
    const task = task_key === null ? run_id : taskTitle(deps, task_key)
    const title = titles.get(run_id as (typeof known)[number]['runId'])
    const run = title ? html`${task} · <bdi>${title}</bdi>` : task
    const about =
      kind === 'refunded'
        ? (REFUND_REASONS[reason ?? ''] ?? reason ?? '')
        : block !== null && `Further block ${count(block)}`
    return html`${isKnown.has(run_id) ? html`<a href="${own}/runs/${run_id}">${run}</a>` : run}${about && html`<span class="hint">${about}</span>`}`
  }
  return rows.map((row) => [
    time(row.at),
    WORDS[row.kind],
    what(row),
    row.run_id === null ? '' : (names.get(row.actor) ?? ''),
    `${row.kind === 'charged' ? '−' : '+'}${count(row.amount)}`,
    count(row.balance_after),
  ])
}
