/**
 * Signing up, where the settings let anyone.
 *
 * @module
 */
import { html } from '../../html.ts'
import type { Call } from '../../http/endpoint.ts'
import { Problem } from '../../http/problems.ts'
import type { Newcomer } from '../../people/people.ts'
import { PeopleRefused } from '../../people/refused.ts'
import { type Errors, form } from '../components/forms.ts'
import type { ConsoleDeps } from '../deps.ts'
import { formOf } from '../form.ts'
import { type Visit, visit } from '../frame.ts'
import { plainPage } from '../layout.ts'
import type { PageRoute } from '../route.ts'
import { clientOf, enter, newcomerFields, newcomerIn } from './enter.ts'

/** For a client address. */
const SIGN_UPS_PER_HOUR = 10

export const signUpRoutes = (deps: ConsoleDeps): PageRoute[] => [
  { method: 'GET', path: '/console/sign-up', handle: (call) => signUpPage(opened(deps, call), {}, {}) },
  { method: 'POST', path: '/console/sign-up', handle: (call) => signUp(deps, call) },
]

/** @throws {Problem} 404 where nobody may sign up */
function opened(deps: ConsoleDeps, call: Call): Visit {
  if (deps.config.signUp !== 'open') throw new Problem('not-found')
  return visit(deps, call)
}

function signUpPage({ base }: Visit, values: Partial<Newcomer>, errors: Errors, status = 200): Response {
  const body = html`<section class="card"><h1>Create an account</h1>
${form(`${base}/console/sign-up`, newcomerFields(values, errors), 'Create account', errors)}
<p class="hint">Already have one? <a href="${base}/console/sign-in">Sign in</a>.</p></section>`
  return plainPage(base, { title: 'Create an account', body, status })
}

async function signUp(deps: ConsoleDeps, call: Call): Promise<Response> {
  const given = opened(deps, call)
  const { newcomer, errors } = newcomerIn(await formOf(call))
  if (Object.keys(errors).length > 0) return signUpPage(given, newcomer, errors, 422)
  const client = clientOf(given)
  if (client !== undefined) {
    const { allowed, resetS } = await deps.ephemeral.try(client, 'sign-up', SIGN_UPS_PER_HOUR, deps.now())
    if (!allowed) throw new Problem('rate-limited', { extras: { retry_after_s: resetS } })
  }
  try {
    const personId = await deps.people.signUp(newcomer, deps.config.signUpCredits, given.cause)
    return enter(given, personId, `${given.base}/console`)
  } catch (error) {
    if (!(error instanceof PeopleRefused)) throw error
    const taken = 'This address cannot be used. If it is yours, sign in with it.'
    return signUpPage(given, newcomer, { email: taken }, 422)
  }
}
