// @ts-check
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
