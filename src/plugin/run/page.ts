/**
 * A page in a browser, as a task is given it: for sources that answer a real browser only.
 *
 * @module
 */
import type { FetchOptions, Reply } from './reply.ts'

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
 * included, stays on the source's `hosts` and `assetHosts`; what it shows comes from `hosts`. Popups, downloads, dialogs
 * and permissions are refused. Selectors are CSS.
 *
 * Where the page moves to one of the source's `interstitials`, or off its hosts, by itself, it is not followed: each call then
 * throws as `goto` would have. When it crashes, each throws TryAgain. What takes too much memory or loads too much ends
 * as `response-too-large`.
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
   * @throws {SourceError} as `fetch` does; it is not tried again. A document that is a download is `source-changed`
   */
  goto(
    url: string,
    options?: Pick<FetchOptions, 'query' | 'timeoutS' | 'accept'> & {
      /** what to wait for; default `load`, which one script that never comes can hold up */
      readonly until?: 'commit' | 'domcontentloaded' | 'load'
    },
  ): Promise<{ readonly status: number; readonly url: string }>
  /** The address that is shown now, of the public site. */
  url(): Promise<string>
  /** The document as it is now, with its doctype; 32 Mi characters at most. */
  html(): Promise<string>
  /**
   * Answers to requests of the page whose public address matches, those of the document included, whatever their status
   * is, except redirects. Each arrives once its body is complete. A body over 16 MiB throws when it is read.
   *
   * @param url without the flags g and y
   */
  answers(url: RegExp): Answers
  /** Waits until such an element is visible; false when time runs out (default 15 s). */
  wait(selector: string, options?: { readonly timeoutS?: number }): Promise<boolean>
  /** Clicks the first visible element that nothing covers; false when time runs out (default 15 s). */
  click(selector: string, options?: { readonly timeoutS?: number }): Promise<boolean>
  /** Replaces the text of the first visible field; false when time runs out (default 15 s). */
  fill(selector: string, text: string, options?: { readonly timeoutS?: number }): Promise<boolean>
  /** Presses a key, e.g. `Enter`. */
  press(key: string): Promise<void>
  /**
   * Turns the mouse wheel over the first visible such element, default the middle of the window, by so many pixels
   * (default the height of the window); false when there is no such element.
   */
  scroll(options?: { readonly selector?: string; readonly by?: number }): Promise<boolean>
  /**
   * The value of a JavaScript expression among the page's own scripts, awaited, as JSON has it; null where that has
   * nothing. 30 s at most.
   *
   * @throws {TryAgain} when the page moved on meanwhile
   * @throws what the expression throws, as an Error with its words
   */
  evaluate(expression: string): Promise<unknown>
  /** Closes it with its context; a further `context.page` begins afresh. */
  close(): Promise<void>
}
