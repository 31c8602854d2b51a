/**
 * The pages of a mock site's sign-in.
 *
 * @module
 */
import { Html, html } from '../../../src/html.ts'
import type { Flow, Step } from './flow.ts'
import { pageOf } from './html.ts'

/** The common parts of a site's pages: its name, and more content of the sign-in. */
export type Look = { readonly title: string; readonly extra: Html | undefined }

const NOTICE = html`<p class="notice">This is a mock site with sample data, in place of the real one.</p>`

/** Long enough that a phone has to scroll. */
const TERMS = html`<section aria-labelledby="terms"><h2 id="terms">Terms</h2>
${Array.from(
  { length: 12 },
  (_, i) =>
    html`<p>${i + 1}. Lamps are lit at dusk and put out at dawn. Whoever leaves last turns the switch, and whoever comes first says good morning to the lamps, which have waited.</p>\n`,
)}
</section>`

/** The fields by step. After an error the label says "again", for screen readers. */
const FIELDS: Readonly<Record<Step, (again: string) => Html>> = {
  name: (again) =>
    html`<label>User name${again} <input name="value" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>`,
  password: (again) =>
    html`<label>Password${again} <input name="value" type="password" autocomplete="current-password" required autofocus></label>\n<label class="check"><input name="remember" type="checkbox" value="yes"> Remember me</label>`,
  code: (again) =>
    html`<label>Code of six digits${again} <input name="value" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required autofocus></label>`,
}
const BUTTONS: Readonly<Record<Step, string>> = { name: 'Next', password: 'Sign in', code: 'Confirm' }

/** Some sites handle Enter themselves; the other pages leave it to the browser. */
const OWN_ENTER = html`<script>
document.forms[0].addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.isComposing) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
})
</script>`

/** The form of a visitor's current step. */
export function stepPage({ step, error, user, token }: Flow, { title, extra }: Look): string {
  const alert = error !== undefined && html`<p role="alert">${error}</p>\n`
  const who = user && html`<p>As <b>${user.name}</b>. <a href="?restart">Someone else?</a></p>\n`
  // Password managers need the user name that belongs to the password.
  const hidden =
    user && html`<input name="username" autocomplete="username" value="${user.name}" readonly hidden>\n`
  return pageOf(
    `Sign in to ${title}`,
    html`<h1>Sign in to ${title}</h1>
${NOTICE}
${who}${alert}<form method="post" action="">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="step" value="${step}">
${hidden}${FIELDS[step](error === undefined ? '' : ', again')}
<button>${BUTTONS[step]}</button>
</form>
${step === 'name' && html`${OWN_ENTER}\n${TERMS}`}${extra}`,
  )
}

/**
 * The page shown once after signing in. It stores data in the browser, as sites do, and then redirects.
 *
 * @param kept the data written to the local storage and to a database
 * @param next a path within the site
 */
export function welcomePage(
  name: string,
  { title }: Look,
  kept: Readonly<Record<string, string>>,
  next?: string,
): string {
  // A script ends at the first `</`, even inside a string.
  const inScript = (value: unknown) => new Html(JSON.stringify(value).replaceAll('<', '\\u003c'))
  return pageOf(
    title,
    html`<h1>Signed in</h1>
${NOTICE}
<p>You are signed in as <b>${name}</b>.</p>
${next !== undefined && html`<p><a href="${next}">Continue</a></p>`}
<script>
const kept = ${inScript(kept)}
const next = ${inScript(next ?? null)}
for (const [name, value] of Object.entries(kept)) localStorage.setItem(name, value)
const opening = indexedDB.open('mock-site', 1)
opening.onupgradeneeded = () => opening.result.createObjectStore('kept')
opening.onsuccess = () => {
  const writing = opening.result.transaction('kept', 'readwrite')
  for (const [name, value] of Object.entries(kept)) writing.objectStore('kept').put(value, name)
  writing.oncomplete = () => {
    opening.result.close()
    document.title += ' - signed in'
    if (next !== null) location.replace(next)
  }
}
</script>`,
  )
}

/** A page with one message. */
export const wordsPage = (words: string, { title }: Look): string =>
  pageOf(
    title,
    html`<h1>${title}</h1>
${NOTICE}
<p role="alert">${words}</p>
<p><a href="?restart">Start over</a></p>`,
  )
