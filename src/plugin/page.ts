/**
 * A page in a browser, as a task is given it: for sources that answer a real browser only.
 *
 * @module
 */
import type { FetchOptions, Reply } from './context.ts'

/**
 * What a page loads beside documents, scripts, styles and data.
 *
 * @example
 * const options: PageOptions = { load: ['images'] }
 * options.load // => ['images']
 */
export type PageOptions = {
  /** what is blocked otherwise */
  readonly load?: readonly ('images' | 'fonts' | 'media')[]
}

/**
 * Answers that a page gets, in the order in which they arrive, from the moment of the call on.
 *
 * @example
 * const firstList = async (page: BrowserPage) => {
 *   const lists = page.answers(/\/api\/comment\/list\//)
 *   await page.goto('/video/1')
 *   const reply = await lists.next({ timeoutS: 10 })
 *   return reply === null ? [] : listAt(await reply.json(), 'comments')
 * }
 * firstList.length // => 1
 */
export type Answers = {
  /** The next one; null when none came in time. @param options `timeoutS`: seconds, default 15 */
  next(options?: { readonly timeoutS?: number }): Promise<Reply | null>
}

/**
 * A page in a fresh browser context that no other run ever sees. Every request of it, sub-resources and redirects
 * included, stays on the source's `hosts` and `assetHosts`.
 *
 * @example
 * const titleOf = async (page: BrowserPage): Promise<string | null> => {
 *   await page.goto('/about')
 *   return (await page.wait('h1')) ? String(await page.evaluate('document.querySelector("h1").textContent')) : null
 * }
 * titleOf.length // => 1
 */
export type BrowserPage = {
  /**
   * Opens an address, at the source's pace.
   *
   * @param url absolute, or a path on the source's origin
   * @returns status and address of the document after redirects
   * @throws {SourceError} as `fetch` does; it is not tried again
   */
  goto(
    url: string,
    options?: Pick<FetchOptions, 'query' | 'timeoutS' | 'accept'> & {
      /** what to wait for; default `load` */
      readonly until?: 'commit' | 'domcontentloaded' | 'load'
    },
  ): Promise<{ readonly status: number; readonly url: string }>
  /** The address that is shown now, of the public site. */
  url(): Promise<string>
  /** The document as it is now. */
  html(): Promise<string>
  /** Answers to requests of the page whose public address matches, those of the document included. */
  answers(url: RegExp): Answers
  /** Waits until an element is visible; false when none is in time (default 15 s). */
  wait(selector: string, options?: { readonly timeoutS?: number }): Promise<boolean>
  /** Clicks on the first such element; false when there is none in time (default 15 s). */
  click(selector: string, options?: { readonly timeoutS?: number }): Promise<boolean>
  /** Writes into the first such field; false when there is none in time (default 15 s). */
  fill(selector: string, text: string, options?: { readonly timeoutS?: number }): Promise<boolean>
  /** Presses a key, e.g. `Enter`. */
  press(key: string): Promise<void>
  /**
   * Turns the mouse wheel over the first such element, default the middle of the page, by so many pixels (default a
   * screen); false when there is none now.
   */
  scroll(options?: { readonly selector?: string; readonly by?: number }): Promise<boolean>
  /** The value of a JavaScript expression in the page, awaited, as JSON has it. */
  evaluate(expression: string): Promise<unknown>
  /** Closes it with its context; a further `context.page` begins afresh. */
  close(): Promise<void>
}
