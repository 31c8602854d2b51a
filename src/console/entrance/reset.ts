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

async function show(given: PageRequest): Promise<Response> {
  return (await personOf(given)) ? resetPage(given, {}) : goneOf(given)
}

/** The person whose password the link sets; undefined when the link is not valid, or no longer. */
async function personOf(given: PageRequest): Promise<PersonId | undefined> {
  const { deps } = given
  const link = await deps.links.find('reset', tokenOf(given))
  return link && (await deps.members.mayReset(link)) ? link.personId : undefined
}

function resetPage(given: PageRequest, errors: Errors): Response {
  const path = `${given.base}/console/resets/${tokenOf(given)}`
  const body = form(path, passwordField('New password', errors.password), 'Set password', errors)
  return plainPage(given.base, { title: 'Set a new password', body, errors })
}

const goneOf = ({ base }: PageRequest): Response =>
  deadEnd(base, {
    ...{ title: 'This link is not valid', status: 404, to: '/sign-in', label: 'Sign in' },
    text: 'It was used, is no longer valid, or has expired after 24 hours. Ask for a new one.',
  })

async function reset(given: PageRequest): Promise<Response> {
  const { deps, call, base, cause } = given
  const personId = await personOf(given)
  if (!personId) return goneOf(given)
  const password = formOf(given).text('password')
  const issue = passwordIssue(password)
  if (issue) return resetPage(given, { password: issue })
  if (!(await deps.links.take(tokenOf(given), call.requestId))) return goneOf(given)
  const by = byPerson(personId, cause)
  try {
    return await enter(given, await deps.people.changePassword(personId, password, by), `${base}/console`)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return goneOf(given)
  }
}
