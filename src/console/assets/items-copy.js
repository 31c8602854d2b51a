// @ts-check
// "Copy table" copies the items of the page as a spreadsheet takes them. Without scripts there are the downloads.

document.body.classList.add('may-copy-table')

const SHOWN_MS = 2000

/** @param {HTMLElement} button */
async function copy(button) {
  let word = 'Copied'
  try {
    const answer = await fetch(button.dataset.table ?? '')
    if (!answer.ok) throw new Error(`The table could not be read: ${answer.status}.`)
    await navigator.clipboard.writeText(await answer.text())
  } catch {
    // Pages without https have no clipboard.
    const table = document.querySelector('.items-table')
    if (table) getSelection()?.selectAllChildren(table)
    word = 'Selected'
  }
  const label = button.querySelector('span')
  if (!label) return
  label.setAttribute('role', 'status')
  label.textContent = word
  setTimeout(() => {
    label.removeAttribute('role')
    label.textContent = 'Copy table'
  }, SHOWN_MS)
}

document.addEventListener('click', (event) => {
  const button = /** @type {HTMLElement | null} */ (
    /** @type {Element} */ (event.target).closest('.copy-table')
  )
  if (button) void copy(button)
})
