/**
 * Setting up an instance with the link of its first start: the first person owns the account `default`, may rename it,
 * and is operator.
 *
 * @module
 */
import { html } from '../../html.ts'
import { DEFAULT_ACCOUNT } from '../../keys/bootstrap.ts'
import { unlessAway } from '../../log/away.ts'
import { Refused } from '../../log/refused.ts'
import { byPerson, type PeopleCause } from '../../people/addresses.ts'
import type { Newcomer } from '../../people/newcomer.ts'
import { nameIssue, tidyName } from '../../people/profiles.ts'
import { joined } from '../../people/sessions.ts'
import { type Errors, field, form, isWrong } from '../components/forms.ts'
import { formOf } from '../form.ts'
import { deadEnd, plainPage } from '../layout.ts'
import { openRoute } from '../route.ts'
import type { PageRequest } from '../visitor.ts'
import { enter, newcomerFields, newcomerIn, SETUP_COMMAND, tokenOf } from './enter.ts'

export const setupPages = [
  openRoute('GET', '/console/setup/:token', show),
  openRoute('POST', '/console/setup/:token', setUp),
]

async function show(request: PageRequest): Promise<Response> {
  return (await isOpen(request)) ? setupPage(request, {}, {}) : usedPage(request)
}

const isOpen = async (request: PageRequest): Promise<boolean> =>
  (await request.deps.links.find('setup', tokenOf(request))) !== undefined &&
  !(await request.deps.people.hasOperator())

/** `account`: the name of the account; empty to keep the one that it has. */
type Values = Partial<Newcomer> & { readonly account?: string }

async function setupPage(request: PageRequest, values: Values, errors: Errors): Promise<Response> {
  const path = `${request.base}/console/setup/${tokenOf(request)}`
  const { name } = await request.deps.accounts.state(DEFAULT_ACCOUNT)
  const account = field({
    name: 'account',
    label: 'Account',
    value: values.account,
    error: errors.account,
    placeholder: name,
    autocomplete: 'organization',
    hint: 'The name of the first account, such as your company. Optional: you can change it later in the settings. It stays in the event log.',
  })
  const body = html`<p>You will own the first account, and be an operator of this instance: you see all accounts, grant credits and invite people.</p>
${form(path, html`${newcomerFields(values, errors)}${account}`, 'Set up', errors)}`
  return plainPage(request.base, { title: 'Set up', heading: 'Set up Gleaner', body, errors })
}

/** The page of an invalid or used link. */
const usedPage = ({ base }: PageRequest): Response =>
  deadEnd(base, {
    title: 'This link is not valid',
    status: 404,
    to: '/sign-in',
    label: 'Sign in',
    text: html`It was used, it has expired, or the instance is already set up. ${SETUP_COMMAND} prints a new one as long as no operator exists.`,
  })

async function setUp(request: PageRequest): Promise<Response> {
  const { deps, base, cause } = request
  if (!(await isOpen(request))) return usedPage(request)
  const sent = formOf(request)
  const account = tidyName(sent.text('account'))
  const checked = newcomerIn(sent)
  const errors = { ...checked.errors, account: account === '' ? undefined : nameIssue(account) }
  const { newcomer } = checked
  const values = { ...newcomer, account }
  if (isWrong(errors)) return setupPage(request, values, errors)
  const account_id = DEFAULT_ACCOUNT
  try {
    const entrance = { account_id, role: 'owner', isOperator: true, token: tokenOf(request) } as const
    const personId = await deps.people.join(newcomer, entrance, cause)
    if (account !== '') await unlessAway(rename(request, byPerson(personId, cause), account))
    return enter(request, joined(personId), `${base}/console/${account_id}`, account_id)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.code === 'link-used') return usedPage(request)
    return setupPage(request, values, { email: 'This address is already in use.' })
  }
}

/** The person is in already. If this does not happen, the account keeps its name, which its settings change. */
const rename = ({ deps }: PageRequest, cause: PeopleCause, name: string) =>
  deps.accounts.handle(
    { type: 'rename', accountId: DEFAULT_ACCOUNT, name },
    { ...cause, accountId: DEFAULT_ACCOUNT },
  )
