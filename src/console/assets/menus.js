// @ts-check
// Menus are folds. They close like those of other programs: by Escape, and by a click elsewhere.

/** @param {Element | null} [except] */
function closeMenus(except) {
  for (const menu of document.querySelectorAll('details.menu[open]'))
    if (menu !== except) menu.removeAttribute('open')
}
document.addEventListener('click', ({ target }) =>
  closeMenus(/** @type {Element} */ (target).closest('details.menu')),
)
document.addEventListener('keydown', (event) => {
  const menu = /** @type {Element} */ (event.target).closest('details.menu[open]')
  if (event.key !== 'Escape' || !menu) return
  menu.removeAttribute('open')
  menu.querySelector('summary')?.focus()
})
