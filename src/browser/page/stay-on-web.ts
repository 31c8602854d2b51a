/**
 * Keeps pages on the web: a navigation to another program (`mailto:`, `app:`) leaves the page unchanged. By default
 * Chromium would replace the page by an error, since its policy blocks such addresses (see launch.ts).
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'

/** JavaScript function for use in a page: whether an address belongs to another program. */
export const IS_OFF_WEB = '(url) => !/^(https?|about|blob|data|javascript):/i.test(url)'

const STAY = `navigation.addEventListener('navigate', (event) => {
  if (event.cancelable && (${IS_OFF_WEB})(event.destination.url)) event.preventDefault()
}, { capture: true })`

/** Must be called before the first navigation. The page's scripts can neither change nor detect it. */
export async function stayOnWeb(session: CDPSession): Promise<void> {
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: STAY, worldName: 'stay' })
}
