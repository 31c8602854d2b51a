/**
 * What may lie over a page: a login dialog, a captcha, an error with a button to try again.
 *
 * @module
 */
import { at, Blocked, type BrowserPage, SourceChanged, type SourceError } from 'gleaner/plugin'

const CLEAR = `(() => {
  const texts = (selector) => [...document.querySelectorAll(selector)].map((element) => ({ element, text: element.textContent.trim() }))
  const close = document.querySelector('[data-e2e="modal-close-inner-button"]')
    ?? texts('button, a, [role="button"], [role="link"], p, div').findLast(({ text }) => /^Continue (?:as guest|without login)$/i.test(text))?.element
  const dialog = Boolean(close) || texts('p').some(({ text }) => text === 'Log in to TikTok')
  const refresh = /Something went wrong/.test(document.body?.innerText ?? '')
    ? texts('button').find(({ text }) => text === 'Refresh')?.element
    : undefined
  close?.click()
  refresh?.click()
  return { dialog, isCleared: Boolean(close || refresh) }
})()`

/** Closes a login dialog, and tries again where the page says that something went wrong. */
export async function clear(
  page: BrowserPage,
): Promise<{ readonly hasDialog: boolean; readonly isCleared: boolean }> {
  const obstacles = await page.evaluate(CLEAR)
  return { hasDialog: at(obstacles, 'dialog') === true, isCleared: at(obstacles, 'isCleared') === true }
}

const SHOWN_CAPTCHA = `Boolean(document.querySelector('[class*="captcha" i]:not(script), [id*="captcha" i]:not(script), iframe[src*="captcha"]'))`

/**
 * The error for a page whose content is missing, possibly because of a captcha. @param words message without a
 * captcha
 */
export async function missingIn(page: BrowserPage, words: string): Promise<SourceError> {
  const isBlocked = (await page.evaluate(SHOWN_CAPTCHA)) === true
  return isBlocked ? new Blocked('a captcha over the page') : new SourceChanged(words)
}
