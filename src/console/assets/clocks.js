// @ts-check
// Keeps durations and relative times current.

import { ago, elapsed } from './ages.js'

/** @param {Element} time @param {string} text */
function set(time, text) {
  // An unchanged text is left alone, so that screen readers and selections are not disturbed.
  if (time.textContent !== text) time.textContent = text
}

/** When this script first saw a time, by the clock of the page. @type {WeakMap<Element, number>} */
const seen = new WeakMap()

/** How long ago a time is now: its age when the server wrote it, whose clock may differ, and what has passed since. */
function ageOf(/** @type {Element} */ time, /** @type {string} */ written) {
  const now = performance.now()
  if (!seen.has(time)) seen.set(time, now)
  return Number(written) + now - (seen.get(time) ?? now)
}

/** Brings the times on the page up to date. */
function tick() {
  for (const time of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-elapsed]')))
    set(time, elapsed(ageOf(time, time.dataset.elapsed ?? '')))
  for (const time of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-ago]')))
    set(time, ago(ageOf(time, time.dataset.ago ?? '')))
}
tick()
setInterval(tick, 1000)
