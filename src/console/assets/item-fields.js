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
    root.querySelectorAll('td[data-label] > time:not([data-ago], [data-elapsed])')
  ))
    time.textContent = short.format(new Date(time.dateTime))
}
tidy(document)

/** Text for the clipboard: texts as they are, anything else as JSON. @param {unknown} value */
const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

/**
 * A button that copies a text, or selects a part of the page where the browser provides no clipboard.
 *
 * @param {string} label
 * @param {string} words for screen readers
 * @param {() => Promise<string>} text
 * @param {Element} part
 */
function copyButton(label, words, text, part) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet copy'
  button.textContent = label
  button.setAttribute('aria-label', words)
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(await text())
      button.textContent = 'Copied'
    } catch {
      getSelection()?.selectAllChildren(part)
      button.textContent = 'Selected'
    }
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  })
  return button
}

/** Adds copy buttons for an item and each of its fields. They copy whole values, also those that the page cuts. @param {HTMLElement} item */
export function addCopies(item) {
  /** @type {Promise<Record<string, unknown>> | undefined} */
  let loading
  const load = async () => {
    loading ??= fetch(item.dataset.json ?? '').then((answer) => answer.json())
    return loading.catch((error) => {
      loading = undefined
      throw error
    })
  }
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (item.querySelectorAll('dd[data-field]'))) {
    const name = field.dataset.field ?? ''
    if (name === '') continue
    const words = `Copy ${field.previousElementSibling?.textContent ?? name}`
    field.append(copyButton('Copy', words, async () => textOf((await load())[name]), field))
  }
  const line = item.querySelector('.item-json')
  line?.append(copyButton('Copy JSON', 'Copy JSON', async () => textOf(await load()), item))
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
