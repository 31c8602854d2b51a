/**
 * Saved logins of an account at sources.
 *
 * @module
 */
import type { Actor } from '../../domain/events.ts'
import { mayAs } from '../../domain/roles.ts'
import { type Html, html } from '../../html.ts'
import { Problem } from '../../http/problems.ts'
import { namedSource, sourcesWithLogin } from '../../http/routes/logins.ts'
import type { LoginRecord, LoginRequests } from '../../login/logins.ts'
import { relative } from '../components/durations.ts'
import { action, question } from '../components/forms.ts'
import { badge, empty, table } from '../components/parts.ts'
import { createOnce, type Form, formOf, newSubmission } from '../form.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { accountRoute } from '../route.ts'
import type { AccountVisitor } from '../visitor.ts'
import { usesOf } from './login-uses.ts'
import { starterNames } from './starters.ts'

export const loginPages = [
  accountRoute('GET', '/logins', 'viewer', show),
  accountRoute('POST', '/logins/sign-in', 'member', ask),
  accountRoute('POST', '/logins/delete', 'member', remove),
]

const pathOf = ({ own }: AccountVisitor): string => `${own}/logins`

async function show(visitor: AccountVisitor): Promise<Response> {
  const { deps, accountId } = visitor
  const sources = sourcesWithLogin(deps)
  const names = sources.map(({ name }) => name)
  const [logins, requests] = await Promise.all([
    deps.logins.list(accountId, names),
    deps.logins.requests(accountId, names),
  ])
  const people = await starterNames(
    deps,
    requests.flatMap(({ open, readyBy }) => [open?.by, readyBy].filter((actor) => actor != null)),
  )
  const rows = sources.map(({ name, title }, i) => {
    const [login, request] = [logins[i]!, requests[i]!]
    const tasks = deps.catalogue.tasks.filter(({ source }) => source.name === name)
    return [
      html`<strong>${title}</strong>`,
      usesOf(visitor, tasks),
      stateOf(visitor, login, request, people),
      signedInAt(visitor, login, request, people),
      login.last_used_at === null ? NEVER : relative(login.last_used_at, deps.now()),
      actionsOf(visitor, login, title),
    ]
  })
  const columns = ['Source', 'For', 'State', 'Signed in', 'Last used', '']
  const body = html`<div class="logins">${table('Logins', columns, rows, {
    none: empty('No source of this instance needs a login.'),
  })}</div>`
  const lead =
    'Some sites show more to signed-in users, or nothing to others. You sign in on the real site, in a browser of this service. The session is stored encrypted, and only the runs of this account use it.'
  return page(visitor, { title: 'Logins', lead, body })
}

type Names = ReadonlyMap<Actor, string>
const NEVER = html`<span class="hint">never</span>`
const STATES: Readonly<Record<LoginRecord['state'], string>> = {
  ready: 'signed_in',
  in_progress: 'in_progress',
  needs_login: 'not_signed_in',
}

/** The state; of a sign-in that is under way, when it was requested and by whom. */
function stateOf(
  { deps }: AccountVisitor,
  { state }: LoginRecord,
  { open }: LoginRequests,
  names: Names,
): Html {
  return html`${badge(STATES[state])}${state === 'in_progress' && open !== null && html`<p class="hint">requested ${relative(open.at, deps.now())}${by(open.by, names)}</p>`}`
}

function signedInAt(
  { deps }: AccountVisitor,
  { signed_in_at }: LoginRecord,
  { readyBy }: LoginRequests,
  names: Names,
): Html {
  if (signed_in_at === null) return html`–`
  return html`${relative(signed_in_at, deps.now())}${readyBy !== null && html`<p class="hint">requested${by(readyBy, names)}</p>`}`
}

/** Whoever opens the link signs in: what is known is who requested it. */
const by = (actor: Actor | null, names: Names): Html | false =>
  actor !== null && html` by <bdi>${names.get(actor)}</bdi>`

function actionsOf(visitor: AccountVisitor, { source, state }: LoginRecord, title: string): Html | string {
  if (!mayAs(visitor.role, 'member')) return ''
  const path = pathOf(visitor)
  const isThere = state === 'ready'
  const text = `Runs that need to be signed in at ${title} stop working until somebody signs in again.`
  const [label, kind] = isThere ? (['Sign in again', 'quiet'] as const) : (['Sign in', ''] as const)
  return html`<div class="actions">${action(`${path}/sign-in`, label, { source, ...newSubmission() }, kind)}${isThere && question('Delete', text, `${path}/delete`, { source })}</div>`
}

/** @throws {Problem} 404 */
const sourceIn = ({ deps }: AccountVisitor, sent: Form): string => namedSource(deps, sent.text('source'))

function ask(visitor: AccountVisitor): Promise<Response> {
  const sent = formOf(visitor)
  return signIn(visitor, sent, sourceIn(visitor, sent), '/logins')
}

/**
 * Leads to the hosted page of a sign-in, which leads back afterwards. A form that is sent twice leads to one link.
 *
 * @param sent the form, with a submission key
 * @param returnTo the page to come back to, below the account's path
 * @throws {Problem} 403 in a suspended account
 */
export async function signIn(
  visitor: AccountVisitor,
  sent: Form,
  source: string,
  returnTo: string,
): Promise<Response> {
  const { deps, accountId, account, cause, own, base } = visitor
  if (account.suspended) throw new Problem('account-suspended')
  const path = `${own}${returnTo}`
  return createOnce(
    visitor,
    { accountId, what: 'logins', sent, values: { source } },
    {
      first: async (operation) => {
        const options = { operation, returnTo: path.slice(base.length) }
        return seeOther((await deps.logins.ask(accountId, source, 'asked', cause, options)).hosted_url)
      },
      page: async ({ id }) => (await deps.logins.asked(accountId, source, id))?.hosted_url ?? path,
    },
  )
}

async function remove(visitor: AccountVisitor): Promise<Response> {
  await visitor.deps.logins.delete(visitor.accountId, sourceIn(visitor, formOf(visitor)), visitor.cause)
  return seeOther(pathOf(visitor))
}
