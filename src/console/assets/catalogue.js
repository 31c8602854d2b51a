// @ts-check
// The catalogue is searched while one types. The service searches; the address keeps the words.

import { pageAt } from './page-at.js'

const PAUSE_MS = 150
const form = /** @type {HTMLFormElement | null} */ (document.getElementById('catalogue-search'))
let latest = 0
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

/** @param {HTMLFormElement} search */
async function search(search) {
  const mine = ++latest
  const query = [...new FormData(search)].flatMap(([name, value]) =>
    value === '' ? [] : [[name, String(value)]],
  )
  const address = new URL(search.action)
  address.search = String(new URLSearchParams(query))
  const page = await pageAt(address.href)
  if (!page || mine !== latest) return
  // The count is read out when its text changes, so the line itself stays.
  for (const id of ['catalogue-count', 'catalogue']) {
    const found = page.getElementById(id)
    if (found) document.getElementById(id)?.replaceChildren(...found.childNodes)
  }
  history.replaceState(history.state, '', address)
}

form?.addEventListener('input', () => {
  clearTimeout(timer)
  // Without an answer, the button still searches.
  timer = setTimeout(() => search(form).catch(() => undefined), PAUSE_MS)
})
