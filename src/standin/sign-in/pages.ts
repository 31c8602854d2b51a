/**
 * The pages of a made-up site's sign-in.
 *
 * @module
 */
import type { Flow, Step } from './flow.ts'
import { escaped, pageOf } from './html.ts'

/** What all pages of one site have: its name, and what the annoying ones bring along, as HTML. */
export type Look = { readonly title: string; readonly extra: string }

const MADE_UP = '<p class="madeup">This site is made up. It stands in for a real one.</p>'

/** So long that a phone has to be scrolled. */
const TERMS = `<section aria-labelledby="terms"><h2 id="terms">Terms</h2>
${Array.from(
  { length: 12 },
  (_, i) =>
    `<p>${i + 1}. Lamps are lit at dusk and put out at dawn. Whoever leaves last turns the switch, and whoever comes first says good morning to the lamps, which have waited.</p>`,
).join('\n')}
</section>`

/** By step: its fields, whose label says more after a mistake, for who only hears it. */
const FIELDS: Readonly<Record<Step, (again: string) => string>> = {
  name: (again) =>
    `<label>User name${again} <input name="value" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>`,
  password: (again) =>
    `<label>Password${again} <input name="value" type="password" autocomplete="current-password" required autofocus></label>\n<label class="check"><input name="remember" type="checkbox" value="yes"> Remember me</label>`,
  code: (again) =>
    `<label>Code of six digits${again} <input name="value" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required autofocus></label>`,
}
const BUTTONS: Readonly<Record<Step, string>> = { name: 'Next', password: 'Sign in', code: 'Confirm' }

/** Some sites take Enter away from the browser and send their forms themselves; the other pages leave it alone. */
const OWN_ENTER = `<script>
document.forms[0].addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.isComposing) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
})
</script>`

/** The form of the step that a visitor has come to. */
export function stepPage({ step, error, user, token }: Flow, { title, extra }: Look): string {
  const alert = error === undefined ? '' : `<p role="alert">${escaped(error)}</p>\n`
  const name = escaped(user?.name ?? '')
  const who = user ? `<p>As <b>${name}</b>. <a href="?restart">Someone else?</a></p>\n` : ''
  // Password managers want to know whose password it is.
  const hidden = user
    ? `<input name="username" autocomplete="username" value="${name}" readonly hidden>\n`
    : ''
  return pageOf(
    `Sign in to ${escaped(title)}`,
    `<h1>Sign in to ${escaped(title)}</h1>
${MADE_UP}
${who}${alert}<form method="post" action="">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="step" value="${step}">
${hidden}${FIELDS[step](error === undefined ? '' : ', again')}
<button>${BUTTONS[step]}</button>
</form>
${step === 'name' ? `${OWN_ENTER}\n${TERMS}` : ''}${extra}`,
  )
}

/**
 * What is shown once when somebody has signed in: it keeps what sites keep in a browser, and leads on.
 *
 * @param kept what is written to the local storage and to a database
 * @param next a path within the site
 */
export function welcomePage(
  name: string,
  { title }: Look,
  kept: Readonly<Record<string, string>>,
  next?: string,
): string {
  // A script ends at the first `</`, wherever that stands.
  const inScript = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')
  return pageOf(
    escaped(title),
    `<h1>Signed in</h1>
${MADE_UP}
<p>You are signed in as <b>${escaped(name)}</b>.</p>
${next === undefined ? '' : `<p><a href="${escaped(next)}">Go on</a></p>`}
<script>
const kept = ${inScript(kept)}
const next = ${inScript(next ?? null)}
for (const [name, value] of Object.entries(kept)) localStorage.setItem(name, value)
const opening = indexedDB.open('standin', 1)
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

/** A page of a few words. */
export const wordsPage = (words: string, { title }: Look): string =>
  pageOf(
    escaped(title),
    `<h1>${escaped(title)}</h1>
${MADE_UP}
<p role="alert">${escaped(words)}</p>
<p><a href="?restart">Begin again</a></p>`,
  )
