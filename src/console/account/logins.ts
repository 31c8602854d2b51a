/**
 * Saved logins of an account at sources.
 *
 * @module
 */
import { html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { Problem } from '../../http/problems.ts'
import { sourcesWithLogin } from '../../http/routes/logins.ts'
import { action, question } from '../components/forms.ts'
import { badge, empty, heading, table, time } from '../components/parts.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { type InAccount, inAccount, mayAs } from '../frame.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import type { PageRoute } from '../route.ts'

export const loginRoutes = (deps: ConsoleDeps): PageRoute[] => [
  {
    method: 'GET',
    path: '/console/:account/logins',
    handle: async (call) => show(await inAccount(deps, call)),
  },
  { method: 'POST', path: '/console/:account/logins/sign-in', handle: (call) => ask(deps, call) },
  { method: 'POST', path: '/console/:account/logins/delete', handle: (call) => remove(deps, call) },
]

const timeOf = (ms: number | null) => (ms === null ? '–' : time(new Date(ms).toISOString()))

async function show(given: InAccount): Promise<Response> {
  const { deps, base, accountId, role } = given
  const sources = sourcesWithLogin(deps)
  const logins = await deps.logins.list(
    accountId,
    sources.map(({ name }) => name),
  )
  const path = `${base}/console/${accountId}/logins`
  const mayChange = mayAs(role, 'member')
  const rows = logins.map((login, i) => {
    const { source, state } = login
    const title = sources[i]?.title ?? source
    const text = `Runs that need to be signed in at ${title} stop working until somebody signs in again.`
    const isThere = state === 'ready'
    return {
      key: source,
      cells: [
        title,
        badge(state),
        timeOf(login.signedInAt),
        timeOf(login.usedAt),
        mayChange
          ? html`<div class="actions">${action(`${path}/sign-in`, isThere ? 'Sign in again' : 'Sign in', { source }, isThere ? 'quiet' : '')}${isThere && question('Delete', text, `${path}/delete`, 'Delete', { source })}</div>`
          : '',
      ],
    }
  })
  const lead =
    'Some sources show things only to who is signed in. You sign in at the real site, in a browser of this service; the state is kept encrypted, for this account alone.'
  const body = html`${heading('Logins', false, lead)}
${rows.length === 0 ? empty('No source of this instance needs a login.') : table('Logins', ['Source', 'State', 'Signed in', 'Last used', ''], rows)}`
  return page(given, { title: 'Logins', body, at: '/logins' })
}

async function sourceIn(deps: ConsoleDeps, call: Call): Promise<string> {
  const source = deps.catalogue.source((await formOf(call)).text('source'))
  if (!source?.login) throw new Problem('not-found')
  return source.name
}

async function ask(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'member')
  if (given.account.suspended) throw new Problem('account-suspended')
  const source = await sourceIn(deps, call)
  const { hostedUrl } = await deps.logins.ask(given.accountId, source, 'asked', given.cause)
  return seeOther(hostedUrl)
}

async function remove(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = await inAccount(deps, call, 'member')
  await deps.logins.delete(given.accountId, await sourceIn(deps, call), given.cause)
  return seeOther(`${given.base}/console/${given.accountId}/logins`)
}
