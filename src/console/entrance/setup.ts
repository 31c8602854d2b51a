/**
 * Setting an instance up, by the link of its first start: the first person owns the account `default` and is an operator.
 *
 * @module
 */
import { html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { DEFAULT_ACCOUNT } from '../../keys/bootstrap.ts'
import type { Newcomer } from '../../people/people.ts'
import { PeopleRefused } from '../../people/refused.ts'
import { type Errors, form } from '../components/forms.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { type Visit, visit } from '../frame.ts'
import { plainPage } from '../layout.ts'
import type { PageRoute } from '../route.ts'
import { enter, newcomerFields, newcomerIn } from './enter.ts'

export const setupRoutes = (deps: ConsoleDeps): PageRoute[] => [
  { method: 'GET', path: '/console/setup/:token', handle: (call) => show(deps, call) },
  { method: 'POST', path: '/console/setup/:token', handle: (call) => setUp(deps, call) },
]

const tokenOf = ({ params }: Call): string => params.token ?? ''

async function show(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = visit(deps, call)
  return (await isOpen(given)) ? setupPage(given, {}, {}) : usedPage(given)
}

const isOpen = async ({ deps, call }: Visit): Promise<boolean> =>
  (await deps.links.find('setup', tokenOf(call))) !== undefined && !(await deps.people.hasOperator())

function setupPage({ base, call }: Visit, values: Partial<Newcomer>, errors: Errors, status = 200): Response {
  const body = html`<section class="card"><h1>Set up Gleaner</h1>
<p>You will own the first account, and be an operator of this instance: you see all accounts, grant credits and invite people.</p>
${form(`${base}/console/setup/${tokenOf(call)}`, newcomerFields(values, errors), 'Set up', errors)}</section>`
  return plainPage(base, { title: 'Set up', body, status })
}

/** What a link shows that opens nothing (any more). */
const usedPage = ({ base }: Visit): Response =>
  plainPage(base, {
    title: 'This link opens nothing',
    status: 404,
    body: html`<section class="card"><h1>This link opens nothing</h1>
<p>It was used, it has expired, or the instance was set up already. <code>gleaner people setup-link</code> prints another one as long as there is no operator.</p>
<p><a class="button" href="${base}/console/sign-in">Sign in</a></p></section>`,
  })

async function setUp(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = visit(deps, call)
  if (!(await isOpen(given))) return usedPage(given)
  const { newcomer, errors } = newcomerIn(await formOf(call))
  if (Object.keys(errors).length > 0) return setupPage(given, newcomer, errors, 422)
  const account_id = DEFAULT_ACCOUNT
  try {
    const take = (by: string) => deps.links.take(tokenOf(call), by)
    const entrance = { account_id, role: 'owner', isOperator: true, take } as const
    const personId = await deps.people.join(newcomer, entrance, given.cause)
    return enter(given, personId, `${given.base}/console/${account_id}`, account_id)
  } catch (error) {
    if (!(error instanceof PeopleRefused)) throw error
    if (error.problem === 'link-used') return usedPage(given)
    return setupPage(given, newcomer, { email: 'Somebody has this address already.' }, 422)
  }
}
