// @ts-check
// `/` focuses the search of the page, or that of the account; `g` and a letter open a page; `?` shows these keys;
// Escape closes a confirmation.

const search = /** @type {HTMLElement | null} */ (
  document.querySelector('main input[type="search"]') ?? document.querySelector('.find input')
)
/** The shortcuts, listed from the navigation. */
const help = document.createElement('dialog')
help.className = 'keys-help'
help.setAttribute('aria-label', 'Keyboard shortcuts')

/** @returns {[string, string][]} */
const SHORTCUTS = () => [
  ['Ctrl K', 'Search the account'],
  ['/', 'Search this page, or the account'],
  ...[...document.querySelectorAll('a[data-key]')].map(
    (link) =>
      /** @type {[string, string]} */ ([
        `g ${/** @type {HTMLElement} */ (link).dataset.key}`,
        link.textContent ?? '',
      ]),
  ),
  ['?', 'Show these shortcuts'],
  ['Esc', 'Close'],
]

function showHelp() {
  const title = document.createElement('h2')
  title.textContent = 'Keyboard shortcuts'
  const list = document.createElement('dl')
  for (const [keys, text] of SHORTCUTS()) {
    const row = document.createElement('div')
    const term = document.createElement('dt')
    for (const key of keys.split(' ')) {
      const kbd = document.createElement('kbd')
      kbd.textContent = key === 'Ctrl' && isMac ? '⌘' : key
      term.append(kbd, ' ')
    }
    const what = document.createElement('dd')
    what.textContent = text
    row.append(term, what)
    list.append(row)
  }
  const form = document.createElement('form')
  form.method = 'dialog'
  const button = document.createElement('button')
  button.className = 'quiet'
  button.textContent = 'Close'
  form.append(button)
  help.replaceChildren(title, list, form)
  if (!help.isConnected) document.body.append(help)
  help.showModal()
}

// The search finds the shortcuts by this fragment.
function showIfAsked() {
  if (location.hash !== '#shortcuts') return
  history.replaceState(null, '', location.pathname + location.search)
  showHelp()
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
addEventListener('hashchange', showIfAsked)
showIfAsked()

let isGoing = false
document.addEventListener('keydown', (event) => {
  const target = /** @type {HTMLElement} */ (event.target)
  const isTyping = target.closest('input, textarea, select, [contenteditable]') !== null
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog:modal'))
    return
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
  if (event.key === '/' && search) {
    event.preventDefault()
    search.focus()
  }
  if (event.key === '?') {
    event.preventDefault()
    showHelp()
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
