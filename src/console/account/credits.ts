/**
 * Credits: the balance, a chart by day, and the ledger.
 *
 * @module
 */
import { type LedgerRow, ledger } from '../../../projections/ledger.ts'
import { type Html, html } from '../../html.ts'
import { streamed } from '../../http/answers.ts'
import { BOM } from '../../http/routes/downloads.ts'
import { csvRow } from '../../plugin/csv-row.ts'
import { pagesOf } from '../../read/pages.ts'
import { requireProjected } from '../../read/wait-until-projected.ts'
import { count, counted, empty, facts, table, time } from '../components/parts.ts'
import { page } from '../layout.ts'
import { listed } from '../list.ts'
import { accountRoute } from '../route.ts'
import { Days, dayAfter, zoneOf } from '../time-zone.ts'
import type { AccountVisitor } from '../visitor.ts'

export const creditPages = [
  accountRoute('GET', '/credits', 'viewer', show),
  accountRoute('GET', '/credits.csv', 'viewer', csv),
]

const PAGE = 50
/** Days in the chart. */
const DAYS = 30
/** Limit of ledger entries in the chart. */
const MOST_ENTRIES = 5000

const signed = ({ kind, amount }: LedgerRow): number => (kind === 'charged' ? -amount : amount)

async function show(visitor: AccountVisitor): Promise<Response> {
  const { call, own, accountId, account, url } = visitor
  const days = new Days(zoneOf(call.request))
  const which = { index: 'by_account', equals: [accountId] }
  const { rows, older } = await listed(visitor, `${own}/credits`, ledger, which, PAGE)
  const body = html`${facts([['Balance', html`<strong>${count(account.balance)}</strong>`]])}
${
  rows.length === 0
    ? empty('There are no entries yet. The operator of this instance grants credits.')
    : html`${!url.searchParams.has('cursor') && chart(await byDay(visitor, days), days.zone)}
<h2>Ledger</h2>${table(
        'Ledger',
        ['When', 'What', 'For', { label: 'Amount', number: true }, { label: 'Balance', number: true }],
        rows.map((row) => [
          time(row.at),
          row.kind,
          row.run_id === null
            ? (row.reason ?? '')
            : html`<a href="${own}/runs/${row.run_id}">${row.reason ?? row.run_id}</a>`,
          `${signed(row) > 0 ? '+' : ''}${count(signed(row))}`,
          count(row.balance_after),
        ]),
      )}`
}
${older}`
  const actions = html`<p><a class="button quiet" href="${own}/credits.csv">Download CSV</a></p>`
  return page(visitor, { title: 'Credits', actions, body })
}

/** Credits spent on each of the last days, less refunds. */
async function byDay(
  { deps, accountId }: AccountVisitor,
  days: Days,
): Promise<readonly (readonly [string, number])[]> {
  const byDay = new Map<string, number>()
  const today = days.of(deps.now())
  for (let i = DAYS - 1; i >= 0; i--) byDay.set(dayAfter(today, -i), 0)
  const rows = await deps.readModels.list(ledger, 'by_account', {
    equals: [accountId],
    order: 'descending',
    limit: MOST_ENTRIES,
  })
  for (const row of rows) {
    const day = days.of(Date.parse(row.at))
    const spent = byDay.get(day)
    if (spent !== undefined && row.kind !== 'granted') byDay.set(day, spent - signed(row))
  }
  return [...byDay]
}

const WIDTH = 600
const HEIGHT = 120

function chart(days: readonly (readonly [string, number])[], zone: string): Html {
  const most = Math.max(1, ...days.map(([, spent]) => spent))
  const step = WIDTH / days.length
  const bars = days.map(([day, spent], i) => {
    const height = Math.max(0, Math.round((spent / most) * (HEIGHT - 20)))
    return html`<rect x="${Math.round(i * step) + 1}" y="${HEIGHT - height}" width="${Math.floor(step) - 2}" height="${height}" rx="2"><title>${day}: ${counted(spent, 'credit')}</title></rect>`
  })
  const total = days.reduce((sum, [, spent]) => sum + spent, 0)
  return html`<figure class="chart"><figcaption>Credits spent by day, last ${DAYS} days in ${zone}: ${count(total)} in all</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Credits spent by day">${bars}<text x="0" y="10">${count(most)}</text></svg>
<details><summary>As a table</summary>${table(
    'Credits spent by day',
    ['Day', { label: 'Credits', number: true }],
    days.filter(([, spent]) => spent !== 0).map(([day, spent]) => [day, count(spent)]),
  )}</details></figure>`
}

function csv({ deps, accountId }: AccountVisitor): Response {
  async function* text(): AsyncGenerator<string> {
    yield BOM + csvRow(['at', 'kind', 'amount', 'balance_after', 'run_id', 'reason'])
    await requireProjected(deps, ledger)
    const query = { equals: [accountId], order: 'descending' } as const
    for await (const rows of pagesOf(deps.readModels, ledger, 'by_account', query))
      for (const row of rows)
        yield csvRow([row.at, row.kind, signed(row), row.balance_after, row.run_id, row.reason])
  }
  return new Response(streamed(text()), {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${accountId}-ledger.csv"`,
    },
  })
}
