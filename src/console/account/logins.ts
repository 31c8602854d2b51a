/**
 * Saved logins of an account at sources.
 *
 * @module
 */
import { mayAs } from '../../domain/roles.ts'
import { html } from '../../html.ts'
import { Problem } from '../../http/problems.ts'
import { namedSource, sourcesWithLogin } from '../../http/routes/logins.ts'
import { action, question } from '../components/forms.ts'
import { badge, empty, table, time } from '../components/parts.ts'
import { createOnce, type Form, formOf, newSubmission } from '../form.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import { accountRoute } from '../route.ts'
import type { AccountVisitor } from '../visitor.ts'

export const loginPages = [
  accountRoute('GET', '/logins', 'viewer', show),
  accountRoute('POST', '/logins/sign-in', 'member', ask),
  accountRoute('POST', '/logins/delete', 'member', remove),
]

const pathOf = ({ own }: AccountVisitor): string => `${own}/logins`

async function show(visitor: AccountVisitor): Promise<Response> {
  const { deps, accountId, role } = visitor
  const sources = sourcesWithLogin(deps)
  const logins = await deps.logins.list(
    accountId,
    sources.map(({ name }) => name),
  )
  const path = pathOf(visitor)
  const mayChange = mayAs(role, 'member')
  const rows = logins.map((login, i) => {
    const { source, state } = login
    const title = sources[i]?.title ?? source
    const text = `Runs that need to be signed in at ${title} stop working until somebody signs in again.`
    const isThere = state === 'ready'
    return [
      title,
      badge(state),
      time(login.signed_in_at),
      time(login.last_used_at),
      mayChange
        ? html`<div class="actions">${action(`${path}/sign-in`, isThere ? 'Sign in again' : 'Sign in', { source, ...newSubmission() }, isThere ? 'quiet' : '')}${isThere && question('Delete', text, `${path}/delete`, { source })}</div>`
        : '',
    ]
  })
  const lead =
    'Some sources show content only to signed-in users. You sign in on the real site, in a browser of this service. The state is stored encrypted, for this account only.'
  const body = html`${table('Logins', ['Source', 'State', 'Signed in', 'Last used', ''], rows, {
    none: empty('No source of this instance needs a login.'),
  })}`
  return page(visitor, { title: 'Logins', lead, body })
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
