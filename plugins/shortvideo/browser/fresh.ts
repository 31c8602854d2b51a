/**
 * Reads in a page of the browser, and once more in a fresh one if the site took the first for a bot.
 *
 * @module
 */
import type { BrowserPage, Context } from 'gleaner/plugin'
import { Nothing } from '../refusals.ts'

/** The number of contexts to try before an empty response counts as a block. */
const MOST_CONTEXTS = 2

/** Reads with what `open` returned for the page. */
export type InPage<View> = <T>(read: (view: View) => Promise<T>) => Promise<T>

/**
 * Opens a page when it is first needed, and keeps it.
 *
 * @param open opens the page in a fresh context
 * @returns a function that throws {@link Nothing} if two fresh contexts get empty responses
 */
export function inFreshPage<View extends object>(
  context: Pick<Context, 'page'>,
  open: (page: BrowserPage) => Promise<View>,
): InPage<View> {
  let page: BrowserPage | undefined
  let view: View | undefined
  return async (read) => {
    for (let attempt = 1; ; attempt++) {
      try {
        if (!view) {
          page = await context.page()
          view = await open(page)
        }
        return await read(view)
      } catch (error) {
        if (!(error instanceof Nothing) || attempt === MOST_CONTEXTS) throw error
        await page?.close()
        view = undefined
      }
    }
  }
}
