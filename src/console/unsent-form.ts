/**
 * A form that was sent after its session had ended. A cookie keeps it for ten minutes, so that its sender can sign in
 * again and send it from the page that follows. It never takes effect by itself.
 *
 * @module
 */
import { type Html, html } from '../html.ts'
import { cookieIn, cookieOf } from './cookie.ts'
import { isOwnPath } from './redirect.ts'

/** `path`: where it was sent, without the prefix of PUBLIC_URL. `body`: its fields, URL-encoded. */
export type UnsentForm = { readonly path: string; readonly body: string }

/** Browsers keep cookies of up to 4096 characters. */
const MOST_CHARS = 3500

/** The cookie that keeps a form; undefined if the form is too large, or contains a password. */
export function keptForm(path: string, body: Uint8Array, publicUrl: string): string | undefined {
  const text = new TextDecoder().decode(body)
  const value = Buffer.from(JSON.stringify({ path, body: text } satisfies UnsentForm)).toString('base64url')
  const hasPassword = /(^|&)(password|current)=/.test(text)
  return hasPassword || value.length > MOST_CHARS ? undefined : cookieOf(value, publicUrl, 'form')
}

/** The cookie that forgets the form. */
export const forgottenForm = (publicUrl: string): string => cookieOf(null, publicUrl, 'form')

/**
 * The form that the cookie keeps; undefined without one.
 *
 * @param accounts of the signed-in person. The form of another account is not shown: somebody else may have sent it
 */
export function unsentForm(
  request: Request,
  publicUrl: string,
  accounts: readonly { readonly accountId: string }[],
): UnsentForm | undefined {
  const form = formIn(cookieIn(request, publicUrl, 'form') ?? '')
  const account = /^\/console\/(acc_\w+)/.exec(form?.path ?? '')?.[1]
  return account === undefined || accounts.some(({ accountId }) => accountId === account) ? form : undefined
}

function formIn(value: string): UnsentForm | undefined {
  try {
    const { path, body } = JSON.parse(Buffer.from(value, 'base64url').toString())
    return typeof body === 'string' && isOwnPath(path) ? { path, body } : undefined
  } catch {
    return undefined
  }
}

/** Fields that people do not fill in. */
const HIDDEN = /^idempotency_key$|_id$/

/** The form with its values, and a button that sends it. @param base the prefix of paths: the path of PUBLIC_URL */
export function unsentNotice({ path, body }: UnsentForm, base: string): Html {
  const fields = [...new URLSearchParams(body)]
  const listed = fields.filter(([name, value]) => !HIDDEN.test(name) && value !== '')
  return html`<section class="card made" role="status"><h2>Your form was not sent</h2>
<p>Your session had ended. Send the form now, or leave it: it is forgotten after ten minutes.</p>
<dl class="facts">${listed.map(([name, value]) => html`<div><dt>${name.replace(/^in\./, '')}</dt><dd>${value}</dd></div>`)}</dl>
<form method="post" action="${base}${path}">${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>Send it now</button></form></section>`
}
