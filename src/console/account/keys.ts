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
import type { KeyRecord } from '../../keys/keys.ts'
import { copyId } from '../components/copy-id.ts'
import { checks, type Errors, field, foldedForm, isWrong, question } from '../components/forms.ts'
import { badge, empty, resultCard, table, time } from '../components/parts.ts'
import { createOnce, type Form, formOf, submissionKey } from '../form.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { accountRoute } from '../route.ts'
import { shownOnce, showOnce } from '../shown-once.ts'
import { Days, dayIn, zoneOf } from '../time-zone.ts'
import type { AccountVisitor } from '../visitor.ts'

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

type Values = { readonly name?: string; readonly scopes?: readonly string[]; readonly expires?: string }

const pathOf = ({ own }: AccountVisitor): string => `${own}/keys`

async function show(visitor: AccountVisitor, values: Values = {}, errors: Errors = {}): Promise<Response> {
  const { deps, accountId, role } = visitor
  const keys = await deps.keys.list(accountId)
  const mayMake = mayAs(role, 'member')
  const revocable = await Promise.all(keys.map(({ key_id }) => mayRevoke(visitor, key_id)))
  const body = html`${await shownOnce(visitor)}
${mayMake && createForm(visitor, values, errors)}
<h2>Keys</h2>
${table(
  'API keys',
  ['Name', 'Scopes', 'Created', 'Last used', 'Expires', ''],
  keys.map((key, i) => rowOf(visitor, key, revocable[i] ?? false)),
  { none: empty('There are no keys yet.') },
)}`
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
  })}${field({
    name: 'expires',
    label: 'Expires',
    type: 'date',
    value: values.expires,
    error: errors.expires,
    hint: `At the end of this day in the time zone ${zoneOf(visitor.call.request)}. Leave it empty for a key that does not expire.`,
  })}`
  return foldedForm('Create a key', pathOf(visitor), fields, 'Create key', errors)
}

function rowOf(visitor: AccountVisitor, key: KeyRecord, isRevocable: boolean) {
  const { key_id, name, prefix, scopes, created_at, last_used_at, expires_at, revoked_at } = key
  const isInactive =
    revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= visitor.deps.now())
  const text = `Programs that use ${name ?? prefix} stop working at once. This cannot be undone.`
  const end = revoked_at !== null ? badge('revoked') : isInactive ? badge('expired') : ''
  return [
    html`${name ?? html`<em>without a name</em>`} <code>${prefix}…</code> ${end}<br><span class="hint">${copyId(key_id, `the id of the key ${name ?? prefix}`)}</span>`,
    scopes.join(', '),
    time(created_at),
    time(last_used_at, 'never'),
    time(expires_at, 'never'),
    !isInactive && isRevocable ? question('Revoke', text, `${pathOf(visitor)}/revoke`, { key_id }) : '',
  ]
}

async function create(visitor: AccountVisitor): Promise<Response> {
  const { deps } = visitor
  const sent = formOf(visitor, ['scopes'])
  const { name, scopes, expiresAt, errors } = requestIn(visitor, sent)
  if (isWrong(errors)) {
    const values = { name: sent.text('name'), scopes: sent.all('scopes'), expires: sent.text('expires') }
    return show(visitor, values, errors)
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
  const isForever = sent.text('expires') === ''
  const day = dayIn(sent.text('expires'))
  const end = day && new Days(zoneOf(visitor.call.request)).end(day)
  const errors: Record<string, string> = {}
  if (name !== null && [...name].length > MOST_NAME) errors.name = `Use at most ${MOST_NAME} characters.`
  if (scopes.length === 0 || unknown) errors.scopes = 'Choose at least one scope.'
  if (scopes.some((scope) => !mayAs(visitor.role, LEAST_ROLE[scope])))
    errors.scopes = 'Only an owner can create a key with the scope admin.'
  if (!isForever && !(end && end > visitor.deps.now())) errors.expires = 'Choose today or a later day.'
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
  return seeOther(pathOf(visitor))
}
