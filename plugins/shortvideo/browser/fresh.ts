/**
 * Reads in a page of the browser, and once more in a fresh one if the site took the first for a bot.
 *
 * @module
 */
import type { BrowserPage, Context } from 'gleaner/plugin'
import { Nothing } from '../refusals.ts'

/** The number of contexts to try before an empty response counts as a block. */
const MOST_CONTEXTS = 2

/** Reads with what a page was opened as. */
export type InPage<Opened> = <T>(read: (opened: Opened) => Promise<T>) => Promise<T>

/**
 * Opens a page when it is first needed, and keeps it.
 *
 * @param open opens the page in a fresh context
 * @returns a function that throws {@link Nothing} if two fresh contexts get empty responses
 */
export function inFreshPage<Opened extends object>(
  context: Pick<Context, 'page'>,
  open: (page: BrowserPage) => Promise<Opened>,
): InPage<Opened> {
  let page: BrowserPage | undefined
  let opened: Opened | undefined
  return async (read) => {
    for (let attempt = 1; ; attempt++) {
      try {
        if (!opened) {
          page = await context.page()
          opened = await open(page)
        }
        return await read(opened)
      } catch (error) {
        if (!(error instanceof Nothing) || attempt === MOST_CONTEXTS) throw error
        await page?.close()
        opened = undefined
      }
    }
  }
}
