/**
 * The sign-up page, if the settings allow it.
 *
 * @module
 */
import { html } from '../../html.ts'
import { clientOf } from '../../http/client-address.ts'
import { Problem } from '../../http/problems.ts'
import { Refused } from '../../log/refused.ts'
import type { Newcomer } from '../../people/newcomer.ts'
import { joined } from '../../people/sessions.ts'
import { type Errors, form, isWrong } from '../components/forms.ts'
import { formOf } from '../form.ts'
import { plainPage } from '../layout.ts'
import { openRoute } from '../route.ts'
import type { PageRequest } from '../visitor.ts'
import { enter, newcomerFields, newcomerIn } from './enter.ts'

/** Per client address. */
const SIGN_UPS_PER_HOUR = 10

export const signUpPages = [
  openRoute('GET', '/console/sign-up', (request) => signUpPage(ifOpen(request), {}, {})),
  openRoute('POST', '/console/sign-up', signUp),
]

/** @throws {Problem} 404 if sign-up is not open */
function ifOpen(request: PageRequest): PageRequest {
  if (request.deps.config.signUp !== 'open') throw new Problem('not-found')
  return request
}

function signUpPage({ base }: PageRequest, values: Partial<Newcomer>, errors: Errors): Response {
  const body = html`${form(`${base}/console/sign-up`, newcomerFields(values, errors), 'Create account', errors)}
<p class="hint">Already have one? <a href="${base}/console/sign-in">Sign in</a>.</p>`
  return plainPage(base, { title: 'Create an account', body, errors })
}

async function signUp(request: PageRequest): Promise<Response> {
  const { deps, base, cause } = ifOpen(request)
  const { newcomer, errors } = newcomerIn(formOf(request))
  if (isWrong(errors)) return signUpPage(request, newcomer, errors)
  const client = clientOf(deps, request.call.request)
  if (client !== undefined) {
    const { allowed, resetS } = await deps.ephemeral.take(client, 'sign-up', SIGN_UPS_PER_HOUR, deps.now())
    if (!allowed) throw new Problem('rate-limited', { extras: { retry_after_s: resetS } })
  }
  try {
    const personId = await deps.people.signUp(newcomer, deps.config.signUpCredits, cause)
    return enter(request, joined(personId), `${base}/console`)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const taken = 'This address cannot be used. If it is yours, sign in with it.'
    return signUpPage(request, newcomer, { email: taken })
  }
}
