/**
 * Credits: the balance and how long it lasts, what was spent, and the ledger.
 *
 * @module
 */
import { type LedgerRow, ledger } from '../../../../projections/ledger.ts'
import { runs } from '../../../../projections/runs.ts'
import { isEnded } from '../../../domain/run.ts'
import type { RunUsage } from '../../../domain/run-events.ts'
import { type Html, html } from '../../../html.ts'
import { streamed } from '../../../http/answers.ts'
import { BOM } from '../../../http/routes/downloads.ts'
import { csvRow } from '../../../plugin/csv-row.ts'
import { pagesOf } from '../../../read/pages.ts'
import type { ReadModels } from '../../../read/read-models.ts'
import { requireProjected } from '../../../read/wait-until-projected.ts'
import { dayLabel } from '../../components/dates.ts'
import type { Errors } from '../../components/forms.ts'
import { count, empty, facts } from '../../components/parts.ts'
import { formOf } from '../../form.ts'
import { page } from '../../layout.ts'
import { seeOther } from '../../redirect.ts'
import { accountRoute } from '../../route.ts'
import { Days, dayAfter, zoneOf } from '../../time-zone.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { ledgerSection, signed } from './ledger.ts'
import { levelForm, levelIn, lowBalance, NO_LEVEL } from './level.ts'
import { outlook } from './outlook.ts'
import { spending } from './spending.ts'
import { totalsOf } from './usage.ts'

export const creditPages = [
  accountRoute('GET', '/credits', 'viewer', (visitor) => show(visitor)),
  accountRoute('POST', '/credits/level', 'owner', setLevel),
  accountRoute('GET', '/credits.csv', 'viewer', csv),
]

/** @param sent the level that was refused */
async function show(visitor: AccountVisitor, errors: Errors = {}, sent?: string): Promise<Response> {
  const { call, own, account, role, url } = visitor
  const days = new Days(zoneOf(call.request))
  const [entries, chart] = await Promise.all([
    ledgerSection(visitor),
    url.searchParams.has('cursor') ? undefined : spending(visitor, days),
  ])
  const spent = chart && totalsOf(chart.usage)
  const body = html`${lowBalance(account)}${facts([
    ['Balance', html`<strong>${count(account.balance)}</strong>`],
    ...(spent ? [[`Spent in the last ${spent.length} days`, count(total(spent))] as const] : []),
    ...(spent ? lasting(visitor, days, spent) : []),
  ])}
${entries && chart?.section}
${role === 'owner' && levelForm(own, account, errors, sent)}
${entries ?? empty('There are no entries yet. The operator of this instance grants credits.')}`
  const actions = html`<p><a class="button quiet" href="${own}/credits.csv">Download CSV</a></p>`
  return page(visitor, { title: 'Credits', actions, body, errors })
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** How long the balance lasts. @param spent on each day up to and with today */
function lasting(
  { deps, account }: AccountVisitor,
  days: Days,
  spent: readonly number[],
): [string, Html | string][] {
  const view = outlook(account.balance, spent.slice(0, -1))
  if (!view) return []
  const { rate, lasts } = view
  const until =
    lasts > 365 ? 'for more than a year' : `until ${dayLabel(dayAfter(days.of(deps.now()), lasts))}`
  const each =
    rate < 10 ? rate.toLocaleString('en-US', { maximumFractionDigits: 1 }) : count(Math.round(rate))
  return [
    [`Spent a day (last ${view.days} days)`, each],
    ['At this rate the balance lasts', until],
  ]
}

async function setLevel(visitor: AccountVisitor): Promise<Response> {
  const text = formOf(visitor).text('level')
  const level = levelIn(text)
  if (level === undefined) return show(visitor, { level: NO_LEVEL }, text)
  const { deps, own, accountId, cause } = visitor
  await deps.accounts.handle({ type: 'set-credits-level', accountId, level }, { ...cause, accountId })
  return seeOther(`${own}/credits`)
}

function csv({ deps, accountId }: AccountVisitor): Response {
  async function* text(): AsyncGenerator<string> {
    yield BOM + csvRow(['at', 'kind', 'amount', 'balance_after', 'run_id', 'reason', 'requests', 'bytes'])
    await requireProjected(deps, ledger)
    const query = { equals: [accountId], order: 'descending' } as const
    for await (const rows of pagesOf(deps.readModels, ledger, 'by_account', query)) {
      const used = await usageOfRuns(deps.readModels, rows)
      for (const row of rows) {
        const { at, kind, balance_after, run_id, reason } = row
        const { requests = null, bytes = null } = (isKickoff(row) && used.get(run_id ?? '')) || {}
        yield csvRow([at, kind, signed(row), balance_after, run_id, reason, requests, bytes])
      }
    }
  }
  return new Response(streamed(text()), {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${accountId}-ledger.csv"`,
    },
  })
}

/** Whether an entry is the first charge of its run. Only there the usage of the run is written, so that a column adds up. */
const isKickoff = ({ kind, block }: LedgerRow): boolean => kind === 'charged' && block === null

/** The usage of the runs of some entries, as far as they have ended and it is known. */
async function usageOfRuns(
  readModels: ReadModels,
  entries: readonly LedgerRow[],
): Promise<ReadonlyMap<string, RunUsage>> {
  const ids = new Set(entries.filter(isKickoff).flatMap(({ run_id }) => run_id ?? []))
  if (ids.size === 0) return new Map()
  const rows = await readModels.getMany(runs, [...ids])
  return new Map(
    rows.flatMap((row) => {
      const usage = row && isEnded(row.run) ? row.run.usage : null
      return row && usage ? [[row.run_id, usage]] : []
    }),
  )
}
