/**
 * Setting a new password with a link.
 *
 * @module
 */
import type { PersonId } from '../../domain/ids.ts'
import { Refused } from '../../log/refused.ts'
import { byPerson } from '../../people/addresses.ts'
import { passwordIssue } from '../../people/passwords.ts'
import { type Errors, form } from '../components/forms.ts'
import { formOf } from '../form.ts'
import { deadEnd, plainPage } from '../layout.ts'
import { openRoute } from '../route.ts'
import type { PageRequest } from '../visitor.ts'
import { enter, passwordField, tokenOf } from './enter.ts'

export const resetPages = [
  openRoute('GET', '/console/resets/:token', show),
  openRoute('POST', '/console/resets/:token', reset),
]

async function show(request: PageRequest): Promise<Response> {
  return (await personOf(request)) ? resetPage(request, {}) : goneOf(request)
}

/** The person whose password the link sets; undefined when the link is not valid, or no longer. */
async function personOf(request: PageRequest): Promise<PersonId | undefined> {
  const { deps } = request
  const link = await deps.links.find('reset', tokenOf(request))
  return link && (await deps.members.mayReset(link)) ? link.personId : undefined
}

function resetPage(request: PageRequest, errors: Errors): Response {
  const path = `${request.base}/console/resets/${tokenOf(request)}`
  const body = form(path, passwordField('New password', errors.password), 'Set password', errors)
  return plainPage(request.base, { title: 'Set a new password', body, errors })
}

const goneOf = ({ base }: PageRequest): Response =>
  deadEnd(base, {
    title: 'This link is not valid',
    status: 404,
    to: '/sign-in',
    label: 'Sign in',
    text: 'It was used, is no longer valid, or has expired after 24 hours. Ask for a new one.',
  })

async function reset(request: PageRequest): Promise<Response> {
  const { deps, call, base, cause } = request
  const personId = await personOf(request)
  if (!personId) return goneOf(request)
  const password = formOf(request).text('password')
  const issue = passwordIssue(password)
  if (issue) return resetPage(request, { password: issue })
  if (!(await deps.links.take(tokenOf(request), call.requestId))) return goneOf(request)
  const by = byPerson(personId, cause)
  try {
    return await enter(request, await deps.people.changePassword(personId, password, by), `${base}/console`)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return goneOf(request)
  }
}
