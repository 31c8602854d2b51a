// @ts-check
// A row of the items table opens its item in a panel beside the table. Without scripts it leads to the page of the item.

import { addCopies, tidy } from './item-fields.js'
import { pageAt } from './page-at.js'

const panel = document.createElement('dialog')
panel.className = 'item-panel'
panel.tabIndex = -1
panel.setAttribute('aria-label', 'Item')
document.body.classList.add('has-panel')
/** The row whose item is shown. @type {HTMLTableRowElement | undefined} */
let current

/** The link to a row's item. @param {Element} row @returns {HTMLAnchorElement | null} */
export const linkIn = (row) => row.querySelector('.n a')

/** @param {string} label @param {() => void} act */
function buttonFor(label, act) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = label
  button.addEventListener('click', act)
  return button
}

/** The row before or after the current one. @param {-1 | 1} step @returns {HTMLTableRowElement | undefined} */
function neighbour(step) {
  const row = step < 0 ? current?.previousElementSibling : current?.nextElementSibling
  return row instanceof HTMLTableRowElement ? row : undefined
}

/** @param {Document} page @param {HTMLAnchorElement} link */
function fill(page, link) {
  const item = /** @type {HTMLElement | null} */ (page.getElementById('item'))
  if (!item) return false
  const head = document.createElement('header')
  const title = document.createElement('h2')
  title.textContent = page.querySelector('h1')?.textContent ?? 'Item'
  const lead = document.createElement('p')
  lead.className = 'hint'
  lead.textContent = page.querySelector('.lead')?.textContent ?? ''
  const actions = document.createElement('div')
  actions.className = 'actions'
  const steps = [buttonFor('Previous', () => void step(-1)), buttonFor('Next', () => void step(1))]
  for (const [i, button] of steps.entries()) button.disabled = neighbour(i === 0 ? -1 : 1) === undefined
  const whole = document.createElement('a')
  whole.className = 'button quiet'
  whole.href = link.href
  whole.textContent = 'Open page'
  actions.append(...steps, whole, buttonFor('Close', close))
  head.append(title, lead, actions)
  panel.replaceChildren(head, document.adoptNode(item))
  tidy(panel)
  addCopies(item)
  panel.scrollTop = 0
  return true
}

/** Shows the item of a row; leads to its page if it cannot be shown here. @param {HTMLTableRowElement} row */
async function show(row) {
  const link = linkIn(row)
  if (!link) return
  current?.removeAttribute('aria-current')
  current = row
  row.setAttribute('aria-current', 'true')
  const page = await pageAt(link.href)
  // Another row was chosen in the meantime.
  if (current !== row) return
  if (!page || !fill(page, link)) {
    location.href = link.href
    return
  }
  row.scrollIntoView({ block: 'nearest' })
  if (!panel.isConnected) document.body.append(panel)
  if (!panel.open) panel.show()
  panel.focus()
}

/** @param {-1 | 1} by */
async function step(by) {
  const row = neighbour(by)
  if (row) await show(row)
}

function close() {
  if (!panel.open) return
  panel.close()
  const row = current
  current = undefined
  row?.removeAttribute('aria-current')
  if (row?.isConnected) linkIn(row)?.focus()
}

document.addEventListener('click', (event) => {
  const target = /** @type {Element} */ (event.target)
  const row = /** @type {HTMLTableRowElement | null} */ (target.closest('.items-table tbody tr'))
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return
  const link = target.closest('a')
  const own = linkIn(row)
  // Other links lead to the source.
  if (link && own && link.pathname !== own.pathname) return
  if (!link && getSelection()?.isCollapsed === false) return
  event.preventDefault()
  void show(row)
})

const STEPS = new Map(
  /** @type {[string, -1 | 1][]} */ ([
    ['ArrowDown', 1],
    ['ArrowRight', 1],
    ['ArrowUp', -1],
    ['ArrowLeft', -1],
  ]),
)

document.addEventListener('keydown', (event) => {
  const target = /** @type {Element} */ (event.target)
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, pre')) return
  const by = STEPS.get(event.key)
  if (panel.open) {
    if (event.key === 'Escape') close()
    else if (by !== undefined) {
      event.preventDefault()
      void step(by)
    }
    return
  }
  // Between the numbers of rows.
  const row = target.closest('.items-table tbody tr')
  if (!row || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
  const next = event.key === 'ArrowUp' ? row.previousElementSibling : row.nextElementSibling
  const link = next && linkIn(next)
  if (!link) return
  event.preventDefault()
  link.focus()
})

/** Keeps to the item of the panel after the table was replaced. */
export function keepCurrent() {
  if (!current) return
  current = /** @type {HTMLTableRowElement | undefined} */ (document.getElementById(current.id) ?? undefined)
  current?.setAttribute('aria-current', 'true')
}
