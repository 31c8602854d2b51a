/**
 * Choosing another password, by a link.
 *
 * @module
 */
import { html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { PeopleRefused } from '../../people/refused.ts'
import { type Errors, form } from '../components/forms.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { type Visit, visit } from '../frame.ts'
import { plainPage } from '../layout.ts'
import type { PageRoute } from '../route.ts'
import { enter, errorsOf, passwordField } from './enter.ts'

export const resetRoutes = (deps: ConsoleDeps): PageRoute[] => [
  { method: 'GET', path: '/console/resets/:token', handle: (call) => show(deps, call) },
  { method: 'POST', path: '/console/resets/:token', handle: (call) => reset(deps, call) },
]

const tokenOf = ({ params }: Call): string => params.token ?? ''

async function show(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = visit(deps, call)
  return (await deps.links.find('reset', tokenOf(call))) ? resetPage(given, {}) : goneOf(given)
}

function resetPage({ base, call }: Visit, errors: Errors): Response {
  const status = Object.keys(errors).length > 0 ? 422 : 200
  const path = `${base}/console/resets/${tokenOf(call)}`
  const body = html`<section class="card"><h1>Set a new password</h1>
${form(path, passwordField('New password', errors.password), 'Set password', errors)}</section>`
  return plainPage(base, { title: 'Set a new password', body, status })
}

const goneOf = ({ base }: Visit): Response =>
  plainPage(base, {
    title: 'This link opens nothing',
    status: 404,
    body: html`<section class="card"><h1>This link opens nothing</h1>
<p>It was used, or its 24 hours are over. Ask for another one.</p>
<p><a class="button" href="${base}/console/sign-in">Sign in</a></p></section>`,
  })

async function reset(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = visit(deps, call)
  const link = await deps.links.find('reset', tokenOf(call))
  if (!link) return goneOf(given)
  const password = (await formOf(call)).text('password')
  const errors = errorsOf({ password })
  if (errors.password) return resetPage(given, errors)
  const { personId } = link
  if (!(await deps.links.take(tokenOf(call), call.requestId))) return goneOf(given)
  try {
    await deps.people.changePassword(personId, password, { ...given.cause, actor: `person:${personId}` })
  } catch (error) {
    if (error instanceof PeopleRefused) return goneOf(given)
    throw error
  }
  return enter(given, personId, `${given.base}/console`)
}
