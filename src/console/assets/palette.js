// @ts-check
// The palette: Ctrl+K or Cmd+K searches the account from every page. It shows the results of the page of the search,
// to which the form in the rail leads without scripts.

import { pageAt } from './page-at.js'

/** Milliseconds without a key before a search is sent. */
const PAUSE = 150

const form = /** @type {HTMLFormElement | null} */ (document.querySelector('.rail .find'))
if (form) palette(form)

/** @param {HTMLFormElement} form */
function palette(form) {
  const dialog = document.createElement('dialog')
  dialog.className = 'palette'
  dialog.setAttribute('aria-label', 'Search this account')
  const input = document.createElement('input')
  input.type = 'text'
  input.maxLength = 100
  input.placeholder = 'Pages, commands, tasks, runs, members …'
  input.autocomplete = 'off'
  input.spellcheck = false
  const list = document.createElement('div')
  list.id = 'palette-list'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Results')
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-label': 'Search this account',
    'aria-controls': list.id,
    'aria-expanded': 'true',
    'aria-autocomplete': 'list',
  }))
    input.setAttribute(name, value)
  const status = document.createElement('p')
  status.className = 'hint'
  status.setAttribute('role', 'status')
  dialog.append(input, list, status)

  /** @type {HTMLElement[]} */
  let options = []
  let chosen = 0

  /** @param {number} next */
  function choose(next) {
    chosen = next
    for (const [i, option] of options.entries()) option.setAttribute('aria-selected', String(i === chosen))
    const option = options[chosen]
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }

  /** An option for a link, or for the form of what acts at once. @param {Element} hit @returns {HTMLElement} */
  function optionOf(hit) {
    const inside = hit.querySelector('button') ?? hit
    if (hit instanceof HTMLFormElement) {
      const option = document.createElement('div')
      option.append(...document.adoptNode(inside).childNodes)
      option.addEventListener('click', () => {
        document.body.append(document.adoptNode(hit))
        hit.submit()
      })
      return option
    }
    const link = document.createElement('a')
    link.href = /** @type {HTMLAnchorElement} */ (hit).href
    // The shortcuts are listed on the page that is open.
    if (link.hash === '#shortcuts') {
      link.href = link.hash
      link.addEventListener('click', () => dialog.close())
    }
    link.append(...document.adoptNode(inside).childNodes)
    return link
  }

  /** Shows the results of a page of the search as options. @param {Document} page */
  function show(page) {
    options = []
    const groups = [...page.querySelectorAll('#hits .hits')].map((section, n) => {
      const group = document.createElement('div')
      group.setAttribute('role', 'group')
      const title = document.createElement('div')
      title.className = 'title'
      title.id = `palette-group-${n}`
      title.textContent = section.querySelector('h2')?.textContent ?? ''
      group.setAttribute('aria-labelledby', title.id)
      group.append(title)
      for (const hit of section.querySelectorAll('li > *')) {
        const option = optionOf(hit)
        option.tabIndex = -1
        option.id = `palette-option-${options.length}`
        option.setAttribute('role', 'option')
        const at = options.push(option) - 1
        option.addEventListener('pointermove', () => at !== chosen && choose(at))
        group.append(option)
      }
      return group
    })
    list.replaceChildren(...groups)
    const count = options.length
    status.textContent = count === 0 ? 'Nothing matches.' : `${count} ${count === 1 ? 'result' : 'results'}`
    choose(0)
  }

  /** The search whose results are shown. @type {string | undefined} */
  let shown
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  async function search() {
    const q = input.value.trim()
    if (q === shown) return
    const page = await pageAt(`${form.action}?${new URLSearchParams({ q })}`)
    // The search has changed in the meantime.
    if (q !== input.value.trim()) return
    if (!page?.getElementById('hits')) {
      status.textContent = 'The search did not work. Press Enter to open its page.'
      return
    }
    shown = q
    show(page)
  }

  function open() {
    if (document.querySelector('dialog:modal')) return
    if (!dialog.isConnected) document.body.append(dialog)
    dialog.showModal()
    input.select()
    void search()
  }

  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(search, PAUSE)
  })
  input.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && options.length > 0) {
      event.preventDefault()
      choose((chosen + step + options.length) % options.length)
    }
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    const q = input.value.trim()
    // Enter may come before the results.
    if (q !== shown) location.href = `${form.action}?${new URLSearchParams({ q })}`
    else options[chosen]?.click()
  })
  // A click beside the palette closes it.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })

  const key = form.querySelector('kbd')
  if (key) key.textContent = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'
  form.addEventListener('click', (event) => {
    // A click on the button sends the field if it has a text.
    const field = /** @type {HTMLInputElement} */ (form.elements.namedItem('q'))
    if (field.value !== '') return
    event.preventDefault()
    open()
  })
  document.addEventListener('keydown', (event) => {
    if (
      event.key.toLowerCase() !== 'k' ||
      !(event.ctrlKey || event.metaKey) ||
      event.altKey ||
      event.shiftKey
    )
      return
    event.preventDefault()
    if (dialog.open) dialog.close()
    else open()
  })
}
