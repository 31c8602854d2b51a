// @ts-check
// Progressive enhancement of pages that work without scripts: tabs, local times, keyboard shortcuts, and live parts.

/** Sections of which one is shown at a time. Without scripts, all are shown, one below the other. */
class TabSet extends HTMLElement {
  connectedCallback() {
    const panels = /** @type {HTMLElement[]} */ ([...this.querySelectorAll(':scope > [data-tab]')])
    const list = document.createElement('div')
    list.setAttribute('role', 'tablist')
    const tabs = panels.map((panel, i) => {
      const tab = document.createElement('button')
      tab.type = 'button'
      tab.setAttribute('role', 'tab')
      tab.id = `tab-${i}`
      tab.textContent = panel.dataset.tab ?? ''
      panel.id ||= `panel-${i}`
      panel.setAttribute('role', 'tabpanel')
      panel.setAttribute('aria-labelledby', tab.id)
      tab.setAttribute('aria-controls', panel.id)
      list.append(tab)
      return tab
    })
    /** @param {number} chosen */
    const show = (chosen) => {
      for (const [i, tab] of tabs.entries()) {
        tab.setAttribute('aria-selected', String(i === chosen))
        tab.tabIndex = i === chosen ? 0 : -1
        const panel = panels[i]
        if (panel) panel.hidden = i !== chosen
      }
    }
    for (const [i, tab] of tabs.entries()) {
      tab.addEventListener('click', () => show(i))
      tab.addEventListener('keydown', ({ key }) => {
        const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
        if (step === 0) return
        const next = (i + step + tabs.length) % tabs.length
        show(next)
        tabs[next]?.focus()
      })
    }
    this.prepend(list)
    // Shows the section with an invalid field first.
    const wrong = panels.findIndex((panel) => panel.querySelector('[aria-invalid]'))
    show(Math.max(0, wrong))
  }
}

/** The input value of a field in a task's form. @param {HTMLInputElement} field @returns {unknown} */
function valueIn({ value, dataset: { shape } }) {
  if (shape?.startsWith('list')) {
    const lines = value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    return shape === 'list-or-text' && lines.length === 1 ? lines[0] : lines
  }
  if (shape === 'boolean') return value === 'true'
  if (shape === 'integer' || shape === 'number') return Number(value)
  return value
}

/** The fields of a task's input. @param {HTMLFormElement} form */
const fieldsOf = (form) => /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll('[name^="in."]')])

/** The input in the fields. @param {HTMLFormElement} form */
const inputIn = (form) =>
  Object.fromEntries(
    fieldsOf(form)
      .filter(({ value }) => value.trim() !== '')
      .map((field) => [field.name.slice(3), valueIn(field)]),
  )

/** An object from JSON text; undefined for any other text. @param {string} text @returns {object | undefined} */
function objectIn(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Shows an input in the fields. @param {HTMLFormElement} form @param {Record<string, unknown>} input */
function fill(form, input) {
  for (const field of fieldsOf(form)) {
    const value = input[field.name.slice(3)] ?? ''
    field.value = Array.isArray(value) ? value.join('\n') : String(value)
  }
}

/** Keeps the fields and the JSON of a playground alike, and shows the call. @param {Event} event */
function showCall({ currentTarget, target }) {
  const form = /** @type {HTMLFormElement} */ (currentTarget)
  const json = /** @type {HTMLTextAreaElement | null} */ (form.elements.namedItem('json'))
  const isJson = target === json
  const input = isJson ? objectIn(json?.value ?? '') : inputIn(form)
  if (!input) return
  if (isJson) fill(form, /** @type {Record<string, unknown>} */ (input))
  else if (json) json.value = JSON.stringify(input, null, 2)
  const rest = /** @type {Record<string, unknown>} */ ({ ...input })
  const { path = '' } = /** @type {HTMLElement} */ (form.querySelector('tab-set')).dataset
  const filled = path.replaceAll(/:([^/]+)/g, (_, /** @type {string} */ name) => {
    const value = encodeURIComponent(String(rest[name] ?? '')).replaceAll("'", '%27')
    delete rest[name]
    return value
  })
  for (const code of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll('code[data-template]'))) {
    const template = code.dataset.template ?? ''
    const body = JSON.stringify(rest, null, 2)
    const fitting = template.startsWith('curl')
      ? body.replaceAll("'", "'\\''")
      : body.replaceAll('\n', '\n  ')
    code.textContent = template.replace('{path}', () => filled).replace('{body}', () => fitting)
  }
}
const playground = /** @type {HTMLFormElement | null} */ (document.getElementById('playground'))
playground?.addEventListener('input', showCall)

customElements.define('tab-set', TabSet)

/** Shows times in the browser's time zone and format. @param {ParentNode} root */
function localTimes(root) {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  for (const time of root.querySelectorAll('time')) {
    const at = new Date(time.dateTime)
    if (Number.isNaN(at.getTime())) continue
    time.title = time.textContent ?? ''
    time.textContent = format.format(at)
  }
}
localTimes(document)

// The service reads the days of filters and charts in this zone.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
// biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on pages without https
if (zone) document.cookie = `gleaner_zone=${encodeURIComponent(zone)}; Path=/; Max-Age=31536000; SameSite=Lax`

// On a phone the navigation scrolls sideways: the current page's entry is brought into view.
const here = /** @type {HTMLElement | null} */ (document.querySelector('nav [aria-current]'))
const entries = here?.closest('ul')
if (here && entries) entries.scrollLeft = here.offsetLeft + here.offsetWidth - entries.clientWidth

// A form is sent once, also by a double click or by a second click while the service is slow.
let sentAt = Number.NEGATIVE_INFINITY
document.addEventListener('submit', (event) => {
  if (event.timeStamp - sentAt < 5000) event.preventDefault()
  else sentAt = event.timeStamp
})
// "Back" may restore this page with its state.
addEventListener('pageshow', () => {
  sentAt = Number.NEGATIVE_INFINITY
})

// `/` focuses the search of the page, or that of the tasks; `g` and a letter open a page; Escape closes a confirmation.
const SEARCH = 'q'
const search = /** @type {HTMLElement | null} */ (document.querySelector('input[type="search"]'))
if (location.hash === `#${SEARCH}`) search?.focus()
let isGoing = false
document.addEventListener('keydown', (event) => {
  const target = /** @type {HTMLElement} */ (event.target)
  const isTyping = target.closest('input, textarea, select, [contenteditable]') !== null
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  if (isGoing) {
    isGoing = false
    const link = /** @type {HTMLAnchorElement | null} */ (
      document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`)
    )
    link?.click()
    return
  }
  if (event.key === 'g') {
    isGoing = true
    setTimeout(() => {
      isGoing = false
    }, 1500)
  }
  if (event.key === '/') {
    const tasks = /** @type {HTMLAnchorElement | null} */ (document.querySelector('a[data-key="t"]'))
    if (!search && !tasks) return
    event.preventDefault()
    if (search) search.focus()
    else if (tasks) location.href = `${tasks.href}#${SEARCH}`
  }
  if (event.key === 'Escape') {
    const open =
      document.activeElement?.closest('details.question[open]') ??
      document.querySelector('details.question[open]')
    if (!open) return
    open.removeAttribute('open')
    open.querySelector('summary')?.focus()
  }
})

// Pages are parsed as inert documents. Only this service's own pages are parsed.
const policy = /** @type {any} */ (window).trustedTypes?.createPolicy('gleaner', {
  createHTML: (/** @type {string} */ text) => text,
})

/** Fetches the current version of the page. @returns {Promise<Document | undefined>} */
async function pageNow() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  // The session has ended: this leads to the sign-in page, and back afterwards.
  if (answer.redirected) location.reload()
  if (!answer.ok || answer.redirected) return undefined
  const text = await answer.text()
  return new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html')
}

/** Replaces a part of the page if it changed and has no focus. @param {Element} part @param {Element} next */
function replace(part, next) {
  if (part.isEqualNode(next) || part.contains(document.activeElement)) return
  localTimes(next)
  part.replaceWith(next)
}

// New rows are announced over the page: rows never move.
const news = document.createElement('div')
news.className = 'news'
news.setAttribute('role', 'status')
if (document.querySelector('[data-live-rows]')) document.body.append(news)
const showNew = document.createElement('button')
showNew.type = 'button'
showNew.addEventListener('click', () => {
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
    const now = await pageNow().catch(() => undefined)
    if (!now) continue
    for (const part of document.querySelectorAll('[data-live-part]')) {
      const next = now.getElementById(part.id)
      if (next) replace(part, next)
    }
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
