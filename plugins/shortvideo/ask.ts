/**
 * Requests that a task makes in a page, where the site's script signs them like the page's own.
 *
 * @module
 */
import type { BrowserPage } from 'gleaner/plugin'

/** Asks for an address. @returns the body, perhaps empty; null when it was refused or did not come */
export async function askIn(page: BrowserPage, url: URL): Promise<string | null> {
  const address = JSON.stringify(url.href)
  const ask = `fetch(${address}, { credentials: 'include' }).then((reply) => reply.ok ? reply.text() : null).catch(() => null)`
  const body = await page.evaluate(ask)
  return typeof body === 'string' ? body : null
}
