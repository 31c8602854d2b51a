// @ts-check
// The fields of an item: each has a copy button, and times are local.

import { localTimes } from './times.js'

/** Shows the times in a part of a page in the local form, and names the zone. @param {ParentNode} root */
export function tidy(root) {
  localTimes(root)
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  for (const zone of root.querySelectorAll('[data-zone]')) if (timeZone) zone.textContent = timeZone
  // Seconds would make a column of times too wide.
  const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (
    root.querySelectorAll('td[data-label] > time')
  ))
    time.textContent = short.format(new Date(time.dateTime))
}
tidy(document)

/** Text for the clipboard: texts as they are, anything else as JSON. @param {unknown} value */
const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

/** Adds a copy button to each field of an item. @param {HTMLElement} item */
export function addCopies(item) {
  /** @type {Promise<Record<string, unknown>> | undefined} */
  let whole
  const load = async () => (await fetch(item.dataset.json ?? '')).json()
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (item.querySelectorAll('dd[data-field]'))) {
    const name = field.dataset.field ?? ''
    if (name === '') continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet copy'
    button.textContent = 'Copy'
    button.setAttribute('aria-label', `Copy ${field.previousElementSibling?.textContent ?? name}`)
    button.addEventListener('click', async () => {
      try {
        whole ??= load()
        await navigator.clipboard.writeText(textOf((await whole)[name]))
        button.textContent = 'Copied'
      } catch {
        whole = undefined
        getSelection()?.selectAllChildren(field)
        button.textContent = 'Selected'
      }
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
    field.append(button)
  }
}

// An item on a page of its own.
const alone = document.getElementById('item')
if (alone) {
  addCopies(alone)
  document.addEventListener('keydown', (event) => {
    const target = /** @type {Element} */ (event.target)
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, pre'))
      return
    const rel = event.key === 'ArrowLeft' ? 'prev' : event.key === 'ArrowRight' ? 'next' : undefined
    const link = /** @type {HTMLAnchorElement | null} */ (rel && document.querySelector(`a[rel="${rel}"]`))
    link?.click()
  })
}
