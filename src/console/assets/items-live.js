// @ts-check
// The items of a run that works: new rows follow the ones on the screen, which stay where they are.

import { tidy } from './item-fields.js'
import { keepCurrent, linkIn } from './item-panel.js'

/** @param {HTMLTableElement} table @param {HTMLTableElement} next */
function follow(table, next) {
  const rows = [...(next.tBodies[0]?.rows ?? [])]
  for (const row of rows) {
    tidy(row)
    const shown = document.getElementById(row.id)
    if (!shown) table.tBodies[0]?.append(row)
    else if (shown.textContent !== row.textContent && !shown.contains(document.activeElement))
      shown.replaceWith(row)
  }
  // The run has started over.
  const ids = new Set(rows.map(({ id }) => id))
  if (rows.length > 0)
    for (const row of [...(table.tBodies[0]?.rows ?? [])]) if (!ids.has(row.id)) row.remove()
}

/** Brings the result up to date. @param {Document} now */
function refresh(now) {
  const [shown, next] = [document.getElementById('result'), now.getElementById('result')]
  if (!shown || !next) return
  const table = /** @type {HTMLTableElement | null} */ (shown.querySelector('.items-table'))
  const fresh = /** @type {HTMLTableElement | null} */ (next.querySelector('.items-table'))
  const isSame = table?.tHead && fresh?.tHead && table.tHead.isEqualNode(fresh.tHead)
  if (isSame && shown.dataset.final === next.dataset.final) {
    follow(table, fresh)
    for (const id of ['items-count', 'items-pager']) {
      const [part, newer] = [document.getElementById(id), now.getElementById(id)]
      if (part && newer && !part.contains(document.activeElement)) part.replaceWith(newer)
    }
    return
  }
  const focused = document.activeElement
  if (focused?.matches('input, select') && shown.contains(focused)) {
    // The reader is typing.
    shown.addEventListener('focusout', () => setTimeout(() => refresh(now)), { once: true })
    return
  }
  const row = shown.contains(focused) ? focused?.closest('tr')?.id : undefined
  const scroller = shown.querySelector('.items-scroll')
  const place = { left: scroller?.scrollLeft ?? 0, top: scroller?.scrollTop ?? 0 }
  tidy(next)
  shown.replaceWith(next)
  next.querySelector('.items-scroll')?.scrollTo(place)
  const again = row && document.getElementById(row)
  if (again) linkIn(again)?.focus()
  keepCurrent()
}
document.addEventListener('page', (event) => refresh(/** @type {CustomEvent<Document>} */ (event).detail))
