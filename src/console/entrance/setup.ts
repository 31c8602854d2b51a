/**
 * Setting up an instance with the link of its first start: the first person owns the account `default` and is operator.
 *
 * @module
 */
import { html } from '../../html.ts'
import { DEFAULT_ACCOUNT } from '../../keys/bootstrap.ts'
import { Refused } from '../../log/refused.ts'
import type { Newcomer } from '../../people/newcomer.ts'
import { joined } from '../../people/sessions.ts'
import { type Errors, form, isWrong } from '../components/forms.ts'
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

function setupPage(request: PageRequest, values: Partial<Newcomer>, errors: Errors): Response {
  const path = `${request.base}/console/setup/${tokenOf(request)}`
  const body = html`<p>You will own the first account, and be an operator of this instance: you see all accounts, grant credits and invite people.</p>
${form(path, newcomerFields(values, errors), 'Set up', errors)}`
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
  const { newcomer, errors } = newcomerIn(formOf(request))
  if (isWrong(errors)) return setupPage(request, newcomer, errors)
  const account_id = DEFAULT_ACCOUNT
  try {
    const entrance = { account_id, role: 'owner', isOperator: true, token: tokenOf(request) } as const
    const personId = await deps.people.join(newcomer, entrance, cause)
    return enter(request, joined(personId), `${base}/console/${account_id}`, account_id)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.code === 'link-used') return usedPage(request)
    return setupPage(request, newcomer, { email: 'This address is already in use.' })
  }
}
