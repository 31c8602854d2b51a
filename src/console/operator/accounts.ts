/**
 * All accounts, and opening one.
 *
 * @module
 */
import { accounts } from '../../../projections/accounts.ts'
import { CANARY_ACCOUNT_ID } from '../../domain/health/canary.ts'
import { derivedAccountId } from '../../domain/ids.ts'
import { html } from '../../html.ts'
import { nameIssue, tidyName } from '../../people/profiles.ts'
import { copyId } from '../components/copy-id.ts'
import { type Errors, field, foldedForm, isWrong, nameField } from '../components/forms.ts'
import { badge, count, table } from '../components/parts.ts'
import { type Form, formOf, submissionKey, submissionOf } from '../form.ts'
import { page } from '../layout.ts'
import { listed } from '../list.ts'
import { seeOther } from '../redirect.ts'
import { operatorRoute } from '../route.ts'
import type { Visitor } from '../visitor.ts'

export const accountsPages = [
  operatorRoute('GET', '/console/operator', show),
  operatorRoute('POST', '/console/operator/accounts', open),
]

const PAGE = 100
const ALL = { index: 'all', equals: [1] }
const MOST_CREDITS = 1_000_000_000

async function show(visitor: Visitor, values: { name?: string; credits?: string } = {}, errors: Errors = {}) {
  const { base } = visitor
  const path = `${base}/console/operator/accounts`
  const { rows, older } = await listed(visitor, `${base}/console/operator`, accounts, ALL, PAGE)
  const fields = html`${submissionKey()}${nameField('off', values.name, errors.name)}${field({
    name: 'credits',
    label: 'Credits',
    type: 'number',
    min: 0,
    max: MOST_CREDITS,
    value: values.credits ?? '0',
    error: errors.credits,
  })}`
  const body = html`${foldedForm('Open an account', path, fields, 'Open account', errors)}
${table(
  'Accounts',
  ['Name', 'Account', { label: 'Credits', number: true }, { label: 'Members', number: true }, 'State'],
  rows.map(({ account_id, state }) => [
    html`<a href="${path}/${account_id}">${state.name}</a>${account_id === CANARY_ACCOUNT_ID ? html` <span class="hint">of the service</span>` : ''}`,
    copyId(account_id, `the id of the account ${state.name}`),
    count(state.balance),
    count(Object.keys(state.members.roles).length),
    badge(state.suspended ? 'suspended' : 'active'),
  ]),
)}
${older}`
  return page(visitor, { title: 'Accounts', body, errors })
}

async function open(visitor: Visitor): Promise<Response> {
  const { deps, base, cause } = visitor
  const sent = formOf(visitor)
  const name = tidyName(sent.text('name'))
  const credits = creditsIn(sent.text('credits') || '0', 0)
  const errors = { name: nameIssue(name), credits: credits === undefined ? CREDITS : undefined }
  if (credits === undefined || isWrong(errors))
    return show(visitor, { name, credits: sent.text('credits') }, errors)
  const operation = operationOf(sent, [name, credits])
  const accountId = derivedAccountId(Buffer.from(operation.id, 'hex'))
  await deps.accounts.handle({ type: 'open', accountId, name, credits, operation }, { ...cause, accountId })
  return seeOther(`${base}/console/operator/accounts/${accountId}`)
}

/** Identifies the operation of a form, so that a form sent twice does not give credits twice. */
export function operationOf(sent: Form, values: readonly unknown[]) {
  const id = submissionOf(sent, values)
  return { id, fingerprint: id }
}

export const CREDITS = `Enter a whole number up to ${count(MOST_CREDITS)}.`

/** A number of credits; undefined for anything else. */
export function creditsIn(text: string, least: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= MOST_CREDITS ? value : undefined
}
