/**
 * All people of the instance, for its operators.
 *
 * @module
 */
import { people } from '../../../projections/people.ts'
import { type PersonId, parsePersonId } from '../../domain/ids.ts'
import { html } from '../../html.ts'
import { Problem } from '../../http/problems.ts'
import { refusalOf } from '../../log/refused.ts'
import { linkShown, RESET_WORDS } from '../account/members.ts'
import { copyId } from '../components/copy-id.ts'
import { action, question } from '../components/forms.ts'
import { alert, empty, table, time } from '../components/parts.ts'
import { type Form, formOf } from '../form.ts'
import { page } from '../layout.ts'
import { listed } from '../list.ts'
import { seeOther } from '../redirect.ts'
import { operatorRoute } from '../route.ts'
import { shownOnce, showOnce } from '../shown-once.ts'
import type { Visitor } from '../visitor.ts'

const PATH = '/console/operator/people'

export const peoplePages = [
  operatorRoute('GET', PATH, show),
  operatorRoute('POST', `${PATH}/reset`, reset),
  operatorRoute('POST', `${PATH}/operator`, setOperator),
  operatorRoute('POST', `${PATH}/remove`, remove),
]

const PAGE = 50
const ALL = { index: 'all', equals: [1] }

async function show(visitor: Visitor, problem?: string): Promise<Response> {
  const { deps, base } = visitor
  const path = `${base}${PATH}`
  const { rows, older } = await listed(visitor, path, people, ALL, PAGE)
  const everybody = await Promise.all(
    rows.map(async (row) => {
      const personId = row.person_id as PersonId
      const [profile, accounts] = await Promise.all([
        deps.people.profile(personId),
        deps.people.accountsOf(personId),
      ])
      return { ...row, profile, accounts }
    }),
  )
  const body = html`${alert(problem)}
${await shownOnce(visitor)}
${table(
  'People',
  ['Name', 'E-mail', 'Accounts', 'Joined', ''],
  everybody.map(({ person_id, profile, accounts, joined_at, operator }) => [
    html`<bdi>${profile?.name ?? '–'}</bdi>${operator && ' (operator)'}<br><span class="hint">${copyId(person_id, `the id of ${profile?.name ?? 'this person'}`)}</span>`,
    profile?.email ?? '–',
    html`${accounts.map(({ accountId, role }) => html`<a href="${base}/console/operator/accounts/${accountId}">${role}</a> `)}`,
    time(joined_at),
    html`<div class="actions">${action(`${path}/reset`, 'Reset password', { person_id })}${person_id !== visitor.person.personId && action(`${path}/operator`, operator ? 'Remove as operator' : 'Make operator', { person_id, operator: String(!operator) })}${question('Remove', 'Name, address and password are destroyed, and cannot be restored.', `${path}/remove`, { person_id })}</div>`,
  ]),
  { none: empty('There are no people yet.') },
)}
${older}`
  const status = problem === undefined ? 200 : 409
  return page(visitor, { title: 'People', lead: 'Everybody who can sign in here.', body, status })
}

/** @throws {Problem} 404 */
async function personIn({ deps }: Visitor, sent: Form): Promise<PersonId> {
  const personId = parsePersonId(sent.text('person_id'))
  if (!personId || !(await deps.people.person(personId))) throw new Problem('not-found')
  return personId
}

async function reset(visitor: Visitor): Promise<Response> {
  const link = await visitor.deps.members.reset(await personIn(visitor, formOf(visitor)), null)
  return showOnce(visitor, visitor.base + PATH, linkShown(link, RESET_WORDS))
}

async function setOperator(visitor: Visitor): Promise<Response> {
  const sent = formOf(visitor)
  const personId = await personIn(visitor, sent)
  const isOperator = sent.text('operator') === 'true'
  if (!isOperator && personId === visitor.person.personId)
    return show(visitor, 'You cannot remove yourself as operator. Another operator can.')
  await visitor.deps.people.setOperator(personId, isOperator, visitor.cause)
  return seeOther(`${visitor.base}${PATH}`)
}

async function remove(visitor: Visitor): Promise<Response> {
  const personId = await personIn(visitor, formOf(visitor))
  const refused = await refusalOf(visitor.deps.members.erase(personId, visitor.cause))
  if (!refused) return seeOther(`${visitor.base}${PATH}`)
  if (refused.code !== 'last-owner') throw refused
  const text =
    'This person is the last owner of an account. Suspend the account first, or make somebody else an owner.'
  return show(visitor, text)
}
