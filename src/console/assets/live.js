// @ts-check
// The parts of a page that change on their own: a stream says when, and the page is read again.

import { pageAt } from './page-at.js'
import { localTimes } from './times.js'

/** The current version of the page. @returns {Promise<Document | undefined>} */
async function pageNow() {
  const page = await pageAt(location.href)
  if (!page || new URL(page.URL).pathname === location.pathname) return page
  // The session has ended: this leads to the sign-in page, and back afterwards.
  location.reload()
  return undefined
}

/** Replaces a part of the page if it changed and has no focus. @param {Element} part @param {Element} next */
function replace(part, next) {
  if (part.isEqualNode(next) || part.contains(document.activeElement)) return
  localTimes(next)
  // A chosen row stays chosen.
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (
    part.querySelectorAll('input[name="run"]:checked')
  ))
    for (const same of /** @type {NodeListOf<HTMLInputElement>} */ (
      next.querySelectorAll('input[name="run"]')
    ))
      same.checked ||= same.value === box.value
  part.replaceWith(next)
}

/** The runs of the chosen rows. @returns {string[]} */
const chosenRuns = () =>
  [
    .../** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[name="run"]:checked')),
  ].map(({ value }) => value)

// New rows are announced over the page: rows never move.
const news = document.createElement('div')
news.className = 'news'
news.setAttribute('role', 'status')
if (document.querySelector('[data-live-rows]')) document.body.append(news)
const showNew = document.createElement('button')
showNew.type = 'button'
showNew.addEventListener('click', () => {
  // The selection is restored by selection.js.
  sessionStorage.setItem('selected', JSON.stringify(chosenRuns()))
  // New rows are the first ones. After a reload, a browser would scroll back to where it was.
  location.replace(location.pathname + location.search)
})

/** Updates shown rows in place, and offers a button to show new rows. @param {Element} next the current list */
function updateRows(next) {
  let fresh = 0
  for (const row of next.querySelectorAll('tbody tr')) {
    const shown = document.getElementById(row.id)
    if (shown) replace(shown, row)
    else fresh++
  }
  if (fresh === 0) news.replaceChildren()
  else if (!news.contains(showNew)) news.append(showNew)
  showNew.textContent = `Show ${fresh} new`
}

let isAsking = false
let mustAsk = false
async function update() {
  if (isAsking) {
    mustAsk = true
    return
  }
  isAsking = true
  do {
    mustAsk = false
    const now = await pageNow()
    if (!now) continue
    for (const part of document.querySelectorAll('[data-live-part]')) {
      const next = now.getElementById(part.id)
      if (next) replace(part, next)
    }
    document.title = now.title
    const [icon, nextIcon] = [document, now].map((each) => each.querySelector('link[rel="icon"]'))
    if (icon && nextIcon && !icon.isEqualNode(nextIcon)) icon.replaceWith(nextIcon)
    document.dispatchEvent(new CustomEvent('page', { detail: now }))
    const next = now.querySelector('[data-live-rows]')
    if (next && document.querySelector('[data-live-rows]')) updateRows(next)
    // A page that is no longer live is complete.
    if (!now.body.dataset.live) changes?.close()
  } while (mustAsk)
  isAsking = false
}

const { live } = document.body.dataset
/** @type {EventSource | undefined} */
let changes
function follow() {
  if (!live) return
  const source = new EventSource(live)
  changes = source
  source.addEventListener('change', () => void update())
  // Catches up on changes before the stream was open.
  source.addEventListener('open', () => void update())
  source.addEventListener('error', () => {
    // A refusal, as while the service restarts, closes it for good.
    if (source.readyState !== EventSource.CLOSED) return
    setTimeout(follow, 3000)
    void update()
  })
}
follow()
