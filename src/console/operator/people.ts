/**
 * All people of the instance, for its operators.
 *
 * @module
 */
import { people } from '../../../projections/people.ts'
import { type PersonId, parsePersonId } from '../../domain/ids.ts'
import { type Html, html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { page as listPage } from '../../http/lists.ts'
import { Problem } from '../../http/problems.ts'
import { PeopleRefused } from '../../people/refused.ts'
import { linkShown } from '../account/members.ts'
import { action, question } from '../components/forms.ts'
import { empty, heading, more, table, time } from '../components/parts.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { asOperator, type SignedIn } from '../frame.ts'
import { page } from '../layout.ts'
import { seeOther } from '../redirect.ts'
import type { PageRoute } from '../route.ts'

const PATH = '/console/operator/people'

export const peopleRoutes = (deps: ConsoleDeps): PageRoute[] => [
  { method: 'GET', path: PATH, handle: async (call) => show(await asOperator(deps, call)) },
  { method: 'POST', path: `${PATH}/reset`, handle: (call) => reset(deps, call) },
  { method: 'POST', path: `${PATH}/operator`, handle: (call) => setOperator(deps, call) },
  { method: 'POST', path: `${PATH}/remove`, handle: (call) => remove(deps, call) },
]

const PAGE = 50

async function show(given: SignedIn, made?: Html, problem?: string): Promise<Response> {
  const { deps, base, call } = given
  const cursor = new URL(call.request.url).searchParams.get('cursor')
  const query = { limit: PAGE, ...(cursor === null ? {} : { cursor }) }
  const { rows, next } = await listPage(deps, people, { index: 'all', equals: [1] }, query)
  const listed = await Promise.all(
    rows.map(async (row) => {
      const personId = row.person_id as PersonId
      const [profile, accounts] = await Promise.all([
        deps.people.profile(personId),
        deps.people.accountsOf(personId),
      ])
      return { ...row, profile, accounts }
    }),
  )
  const path = `${base}${PATH}`
  const body = html`${heading('People', false, 'Everybody who can sign in here.')}
${problem !== undefined && html`<p class="error" role="alert">${problem}</p>`}
${made}
${
  listed.length === 0
    ? empty('Nobody is here.')
    : table(
        'People',
        ['Name', 'E-mail', 'Accounts', 'Joined', ''],
        listed.map(({ person_id, profile, accounts, joined_at, operator }) => ({
          key: person_id,
          cells: [
            html`<bdi>${profile?.name ?? '–'}</bdi>${operator && ' (operator)'}`,
            profile?.email ?? '–',
            html`${accounts.map(({ accountId, role }) => html`<a href="${base}/console/operator/accounts/${accountId}">${role}</a> `)}`,
            time(joined_at),
            html`<div class="actions">${action(`${path}/reset`, 'Reset password', { person_id })}${action(`${path}/operator`, operator ? 'Remove as operator' : 'Make operator', { person_id, operator: String(!operator) })}${question('Remove', 'Name, address and password are destroyed, and cannot be brought back.', `${path}/remove`, 'Remove', { person_id })}</div>`,
          ],
        })),
      )
}
${more(next === null ? null : `${path}?cursor=${next}`)}`
  const status = problem === undefined ? 200 : 409
  return page(given, { title: 'People', body, at: PATH, status })
}

async function personIn(deps: ConsoleDeps, call: Call) {
  const given = await asOperator(deps, call)
  const sent = await formOf(call)
  const personId = parsePersonId(sent.text('person_id'))
  const person = personId && (await deps.people.person(personId).catch(gone))
  if (!person) throw new Problem('not-found')
  return { given, sent, person }
}

function gone(error: unknown): undefined {
  if (!(error instanceof PeopleRefused)) throw error
}

async function reset(deps: ConsoleDeps, call: Call): Promise<Response> {
  const { given, person } = await personIn(deps, call)
  const link = await deps.members.reset(person.personId)
  return show(given, linkShown(link, 'Whoever opens it within 24 hours sets a new password for this person.'))
}

async function setOperator(deps: ConsoleDeps, call: Call): Promise<Response> {
  const { given, sent, person } = await personIn(deps, call)
  const isOperator = sent.text('operator') === 'true'
  if (!isOperator && person.personId === given.person.personId)
    return show(given, undefined, 'You cannot take this from yourself: another operator can.')
  await deps.people.setOperator(person.personId, isOperator, given.cause)
  return seeOther(`${given.base}${PATH}`)
}

async function remove(deps: ConsoleDeps, call: Call): Promise<Response> {
  const { given, person } = await personIn(deps, call)
  const { personId } = person
  try {
    for (const { accountId } of await deps.people.accountsOf(personId))
      await deps.keys.revokeMadeBy(accountId, personId, given.cause)
    await deps.people.erase(personId, given.cause)
  } catch (error) {
    if (!(error instanceof PeopleRefused) || error.problem !== 'last-owner') throw error
    return show(
      given,
      undefined,
      'This is the last owner of an account: suspend it first, or make somebody else an owner.',
    )
  }
  return seeOther(`${given.base}${PATH}`)
}
