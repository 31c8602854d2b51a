/**
 * The API keys of an account.
 *
 * @module
 */
import { type KeyId, parseKeyId } from '../../domain/ids.ts'
import { LEAST_ROLE, mayAs, SCOPES, type Scope } from '../../domain/roles.ts'
import { copyable, type Html, html } from '../../html.ts'
import { existing, Problem } from '../../http/problems.ts'
import { createKeyOnce } from '../../http/routes/keys.ts'
import { checks, type Errors, field, foldedForm, isWrong, select } from '../components/forms.ts'
import { resultCard } from '../components/parts.ts'
import { createOnce, type Form, formOf, submissionKey } from '../form.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { accountRoute } from '../route.ts'
import { shownOnce, showOnce } from '../shown-once.ts'
import { Days, dayAfter, dayIn, zoneOf } from '../time-zone.ts'
import type { AccountVisitor } from '../visitor.ts'
import { keyTables } from './key-tables.ts'

export const keyPages = [
  accountRoute('GET', '/keys', 'viewer', show),
  accountRoute('POST', '/keys', 'member', create),
  accountRoute('POST', '/keys/revoke', 'member', revoke),
]

/** Descriptions of the scopes. */
const WORDS: Readonly<Record<Scope, string>> = {
  runs: 'runs – start and read runs, the account, its logins',
  admin: 'admin – create and revoke keys',
  events: 'events – read the event feed, for audit and billing',
}
const MOST_NAME = 100

/** How long a key is valid, in days after today. */
const PERIODS: readonly (readonly [days: string, label: string])[] = [
  ['', 'no fixed period'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
]

type Values = {
  readonly name?: string
  readonly scopes?: readonly string[]
  readonly days?: string
  readonly expires?: string
}

const pathOf = ({ own }: AccountVisitor): string => `${own}/keys`

async function show(visitor: AccountVisitor, values: Values = {}, errors: Errors = {}): Promise<Response> {
  const { deps, accountId, role } = visitor
  const keys = await deps.keys.list(accountId)
  const mayMake = mayAs(role, 'member')
  const body = html`${await shownOnce(visitor)}
${mayMake && createForm(visitor, values, errors)}
<h2>Keys</h2>
${await keyTables(visitor, keys)}`
  const lead = 'A key lets a program use this account. Keep it secret: only its hash is stored here.'
  return page(visitor, { title: 'API keys', lead, body, errors })
}

function createForm(visitor: AccountVisitor, values: Values, errors: Errors): Html {
  const allowed = SCOPES.filter((scope) => mayAs(visitor.role, LEAST_ROLE[scope]))
  const fields = html`${submissionKey()}${field({
    name: 'name',
    label: 'Name',
    value: values.name,
    error: errors.name,
    autocomplete: 'off',
    hint: 'Where it is used, such as "nightly import". It stays in the event log.',
  })}${checks({
    name: 'scopes',
    label: 'Scopes',
    choices: allowed.map((scope) => [scope, WORDS[scope]] as const),
    chosen: values.scopes ?? ['runs'],
    error: errors.scopes,
  })}${select({
    name: 'days',
    label: 'Valid for',
    choices: PERIODS,
    value: values.days ?? '',
    error: errors.days,
  })}${field({
    name: 'expires',
    label: 'Expires',
    type: 'date',
    value: values.expires,
    error: errors.expires,
    hint: `Or the last day on which it is valid, in the time zone ${zoneOf(visitor.call.request)}. Without a period or a day, it is valid until it is revoked.`,
  })}`
  return foldedForm('Create a key', pathOf(visitor), fields, 'Create key', errors)
}

async function create(visitor: AccountVisitor): Promise<Response> {
  const { deps } = visitor
  const sent = formOf(visitor, ['scopes'])
  const { name, scopes, expiresAt, errors } = requestIn(visitor, sent)
  if (isWrong(errors)) {
    const [days, expires] = [sent.text('days'), sent.text('expires')]
    return show(visitor, { name: sent.text('name'), scopes: sent.all('scopes'), days, expires }, errors)
  }
  const { accountId, cause } = visitor
  const path = pathOf(visitor)
  const values = { name, scopes, expiresAt }
  return createOnce(
    visitor,
    { accountId, what: 'keys', sent, values },
    {
      first: async (operation) => {
        const request = { ...values, accountId, operation }
        const created = await createKeyOnce(deps.keys, deps.once, request, cause)
        return created && showOnce(visitor, path, keyShown(deps.config.publicUrl, created.apiKey))
      },
      page: () => path,
    },
  )
}

function keyShown(publicUrl: string, apiKey: string): Html {
  const curl = `curl ${publicUrl}/v1/account -H "Authorization: Bearer ${apiKey}"`
  const content = html`<p>Copy it now: it is shown only once and cannot be shown again.</p>
${copyable(apiKey, 'The new API key')}<p>Try it:</p>${copyable(curl, 'A call with the new key')}`
  return resultCard('Your new key', content)
}

function requestIn(visitor: AccountVisitor, sent: Form) {
  const name = sent.text('name').trim() || null
  const scopes = SCOPES.filter((scope) => sent.all('scopes').includes(scope))
  const unknown = sent.all('scopes').some((scope) => !(SCOPES as readonly string[]).includes(scope))
  const [period, written] = [sent.text('days'), sent.text('expires')]
  const isPeriod = PERIODS.some(([days]) => days === period)
  const isForever = period === '' && written === ''
  const zone = new Days(zoneOf(visitor.call.request))
  const { now } = visitor.deps
  const day = isPeriod && period !== '' ? dayAfter(zone.of(now()), Number(period)) : dayIn(written)
  const end = day && zone.end(day)
  const errors: Record<string, string> = {}
  if (name !== null && [...name].length > MOST_NAME) errors.name = `Use at most ${MOST_NAME} characters.`
  if (scopes.length === 0 || unknown) errors.scopes = 'Choose at least one scope.'
  if (scopes.some((scope) => !mayAs(visitor.role, LEAST_ROLE[scope])))
    errors.scopes = 'Only an owner can create a key with the scope admin.'
  if (!isPeriod) errors.days = 'Choose one of these periods.'
  else if (period !== '' && written !== '') errors.expires = 'Choose a period or a day, not both.'
  else if (!isForever && !(end && end > now())) errors.expires = 'Choose today or a later day.'
  return { name, scopes, expiresAt: end ? new Date(end).toISOString() : null, errors }
}

/** Owners revoke any key, members those that they created. */
const mayRevoke = async ({ deps, role, accountId, person }: AccountVisitor, keyId: KeyId): Promise<boolean> =>
  role === 'owner' || (mayAs(role, 'member') && deps.keys.isMadeBy(keyId, accountId, person.personId))

async function revoke(visitor: AccountVisitor): Promise<Response> {
  const { keys } = visitor.deps
  const keyId = existing(parseKeyId(formOf(visitor).text('key_id')))
  if (!(await mayRevoke(visitor, keyId)))
    throw new Problem('key-scope', { detail: 'Only an owner can revoke a key that somebody else created.' })
  const revoked = await keys.revoke(keyId, visitor.accountId, visitor.cause)
  if (revoked === 'not-found' || revoked === 'last-admin-key') throw new Problem(revoked)
  // Shows it among those that have ended.
  return seeOther(`${pathOf(visitor)}?ended#ended`)
}
