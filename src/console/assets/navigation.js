// @ts-check
// On a phone the navigation scrolls sideways: the current page's entry is brought into view.
const here = /** @type {HTMLElement | null} */ (document.querySelector('nav [aria-current]'))
const entries = here?.closest('nav')
if (here && entries) entries.scrollLeft = here.offsetLeft + here.offsetWidth - entries.clientWidth
