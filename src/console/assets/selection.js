// @ts-check
// Choosing rows of a list: a box for all of them, and how many are chosen.

const bar = document.getElementById('selection')
const label = bar?.querySelector('[data-selected]')
const none = label?.textContent ?? ''
/** @returns {HTMLInputElement[]} */
const boxes = () => [
  .../** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[form="selection"]')),
]
const all = document.createElement('input')
all.type = 'checkbox'
all.setAttribute('aria-label', 'Select all on this page')

function show() {
  const chosen = boxes().filter(({ checked }) => checked).length
  all.checked = chosen > 0 && chosen === boxes().length
  all.indeterminate = chosen > 0 && !all.checked
  if (label) label.textContent = chosen === 0 ? none : `${chosen} selected:`
  for (const button of bar?.querySelectorAll('button') ?? []) button.disabled = chosen === 0
}

/** Chooses the rows again that were chosen before new rows were shown. */
function restore() {
  const chosen = JSON.parse(sessionStorage.getItem('selected') ?? '[]')
  sessionStorage.removeItem('selected')
  for (const box of boxes()) box.checked ||= chosen.includes(box.value)
}

if (bar) {
  restore()
  boxes()[0]?.closest('table')?.querySelector('thead th')?.append(all)
  all.addEventListener('change', () => {
    for (const box of boxes()) box.checked = all.checked
    show()
  })
  document.addEventListener('change', show)
  // "Back" restores the boxes.
  addEventListener('pageshow', show)
  show()
}
