/**
 * All accounts, and opening one.
 *
 * @module
 */
import { accounts } from '../../../projections/accounts.ts'
import { newAccountId } from '../../domain/ids.ts'
import { html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { page as listPage } from '../../http/lists.ts'
import { nameIssue, tidyName } from '../../people/profiles.ts'
import { randomBytes } from '../../random.ts'
import { type Errors, field, flag, form } from '../components/forms.ts'
import { badge, count, heading, more, table } from '../components/parts.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { asOperator, type SignedIn } from '../frame.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import type { PageRoute } from '../route.ts'

export const accountsRoutes = (deps: ConsoleDeps): PageRoute[] => [
  { method: 'GET', path: '/console/operator', handle: async (call) => show(await asOperator(deps, call)) },
  { method: 'POST', path: '/console/operator/accounts', handle: (call) => open(deps, call) },
]

const PAGE = 100
const MOST_CREDITS = 1_000_000_000

async function show(given: SignedIn, values: { name?: string; credits?: string } = {}, errors: Errors = {}) {
  const { deps, base, call } = given
  const cursor = new URL(call.request.url).searchParams.get('cursor')
  const query = { limit: PAGE, ...(cursor === null ? {} : { cursor }) }
  const { rows, next } = await listPage(deps, accounts, { index: 'all', equals: [1] }, query)
  const fields = html`${field({
    ...{
      name: 'name',
      label: 'Name',
      required: true,
      value: values.name,
      error: errors.name,
      autocomplete: 'off',
    },
  })}${field({
    ...{ name: 'credits', label: 'Credits', type: 'number', min: 0, max: MOST_CREDITS },
    ...{ value: values.credits ?? '0', error: errors.credits },
  })}`
  const isWrong = Object.keys(errors).length > 0
  const body = html`${heading('Accounts')}
<details class="card"${flag('open', isWrong)}><summary>Open an account</summary>${form(`${base}/console/operator/accounts`, fields, 'Open account', errors)}</details>
${table(
  'Accounts',
  ['Name', 'Account', { label: 'Credits', number: true }, { label: 'Members', number: true }, 'State'],
  rows.map(({ account_id, state }) => ({
    key: account_id,
    cells: [
      html`<a href="${base}/console/operator/accounts/${account_id}">${state.name}</a>`,
      html`<code>${account_id}</code>`,
      count(state.balance),
      count(Object.keys(state.members.roles).length),
      badge(state.suspended ? 'suspended' : 'active'),
    ],
  })),
)}
${more(next === null ? null : `${base}/console/operator?cursor=${next}`)}`
  return page(given, { title: 'Accounts', body, at: '/console/operator', status: isWrong ? 422 : 200 })
}

async function open(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await asOperator(deps, call)
  const sent = await formOf(call)
  const name = tidyName(sent.text('name'))
  const credits = creditsIn(sent.text('credits') || '0', 0)
  const issue = nameIssue(name)
  if (issue || credits === undefined) {
    const errors = {
      ...(issue ? { name: issue } : {}),
      ...(credits === undefined ? { credits: CREDITS } : {}),
    }
    return show(given, { name, credits: sent.text('credits') }, errors)
  }
  const accountId = newAccountId(deps.now(), randomBytes(10))
  await deps.ledger.execute({ type: 'open', accountId, name, credits }, { ...given.cause, accountId })
  return seeOther(`${given.base}/console/operator/accounts/${accountId}`)
}

export const CREDITS = `Enter a whole number up to ${count(MOST_CREDITS)}.`

/** A number of credits; undefined for anything else. */
export function creditsIn(text: string, least: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= MOST_CREDITS ? value : undefined
}
