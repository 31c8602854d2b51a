/**
 * Pages stay on the web: one that wants to go to another program (`mailto:`, `app:`) stays as it is. By itself Chromium
 * would show an error in its place, since no such address is allowed in it (see launch.ts).
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'

/** A function in a page: whether an address is one of another program. */
export const IS_OFF_WEB = '(url) => !/^(https?|about|blob|data|javascript):/i.test(url)'

const STAY = `navigation.addEventListener('navigate', (event) => {
  if (event.cancelable && (${IS_OFF_WEB})(event.destination.url)) event.preventDefault()
}, { capture: true })`

/** To be called before the page goes anywhere; its scripts can neither change nor notice it. */
export async function stayOnWeb(session: CDPSession): Promise<void> {
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: STAY, worldName: 'stay' })
}
