/**
 * The sign-in page.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import { clientOf } from '../../http/client-address.ts'
import { Refused } from '../../log/refused.ts'
import { TooManyTries } from '../../people/sign-in.ts'
import { type Errors, emailField, field, form } from '../components/forms.ts'
import { formOf } from '../form.ts'
import { plainPage } from '../layout.ts'
import { nextOf, seeOther } from '../redirect.ts'
import { openRoute } from '../route.ts'
import { type PageRequest, sessionOf } from '../visitor.ts'
import { enter, SETUP_COMMAND } from './enter.ts'

export const signInPages = [
  openRoute('GET', '/console/sign-in', show),
  openRoute('POST', '/console/sign-in', signIn),
]

const nextIn = ({ url }: PageRequest): string => url.searchParams.get('next') ?? ''

async function show(request: PageRequest): Promise<Response> {
  if (await sessionOf(request)) return seeOther(nextOf(request.base, nextIn(request)))
  return signInPage(request, {}, {})
}

async function signInPage(
  request: PageRequest,
  values: { readonly email?: string; readonly status?: number },
  errors: Errors,
): Promise<Response> {
  const { deps, base } = request
  const next = nextIn(request)
  const path = `${base}/console/sign-in${next ? `?next=${encodeURIComponent(next)}` : ''}`
  const fields = html`${emailField('username', values.email)}${field({
    name: 'password',
    label: 'Password',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
  })}`
  const isNew = !(await deps.people.hasOperator())
  const body = html`${formNotice(request)}${isNew && html`<p class="notice">Nobody has set up this instance yet. Its log shows a setup link at the start; ${SETUP_COMMAND} prints a new one.</p>`}
${form(path, fields, 'Sign in', errors)}
${deps.provider && html`<p><a class="button quiet" href="${base}/console/provider?next=${encodeURIComponent(next)}">Sign in with ${deps.provider.name}</a></p>`}
${deps.config.signUp === 'open' && html`<p class="hint">No account yet? <a href="${base}/console/sign-up">Create one</a>.</p>`}
<p class="hint">Forgotten your password? Ask an owner of your account or the operator for a link to set a new one.</p>`
  return plainPage(base, { title: 'Sign in', body, errors, status: values.status })
}

/** Says what became of a form that was sent after its session had ended. */
function formNotice({ url }: PageRequest): Html | false {
  const state = url.searchParams.get('form')
  if (state !== 'kept' && state !== 'lost') return false
  const rest =
    state === 'kept'
      ? 'Sign in, and you can send it from its page.'
      : 'It contains a password or is too large to be kept here: fill it in again after you sign in.'
  return html`<p class="notice">Your session had ended before the form was sent. ${rest}</p>`
}

async function signIn(request: PageRequest): Promise<Response> {
  const { deps, base, cause } = request
  const sent = formOf(request)
  const email = sent.text('email').trim()
  try {
    const client = clientOf(deps, request.call.request)
    const person = await deps.signIn.by(email, sent.text('password'), client, cause)
    return enter(request, person, nextOf(base, nextIn(request)))
  } catch (error) {
    if (error instanceof TooManyTries) {
      const answer = await signInPage(request, { email, status: 429 }, { '': error.message })
      answer.headers.set('retry-after', String(error.retryS))
      return answer
    }
    if (!(error instanceof Refused)) throw error
    return signInPage(request, { email }, { '': 'The e-mail address or the password is wrong.' })
  }
}
