/**
 * The page in a browser that a task gets, for sources that serve only real browsers.
 *
 * @module
 */
import type { FetchOptions, Reply } from './reply.ts'

/**
 * Options for a page: which resources it loads besides documents, scripts, styles and data.
 *
 * @example
 * const options: PageOptions = { load: ['images'] }
 * options.load // => ['images']
 */
export type PageOptions = {
  /** resources to load, which are blocked by default */
  readonly load?: readonly ('images' | 'fonts' | 'media')[]
}

/**
 * Responses to a page's requests, in order of arrival. Only responses that arrive after the call of `answers` are
 * included.
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
  /** The next response; null when none arrives within `timeoutS` seconds (default 15). */
  next(options?: { readonly timeoutS?: number }): Promise<Reply | null>
}

/**
 * A page in a fresh browser context that no other run shares. All its requests, sub-resources and redirects included,
 * are limited to the source's `hosts` and `assetHosts`; its documents come from `hosts` only. Popups, downloads,
 * dialogs and permissions are refused. Selectors are CSS.
 *
 * If a script of the page leads to one of the source's `interstitials` or to another host, the navigation is refused
 * and every later call throws the error that `goto` would have thrown. After a crash, every call throws TryAgain. A
 * page that uses too much memory or loads too much data ends as `response-too-large`.
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
   * Opens a URL. Keeps the source's pace.
   *
   * @param url an absolute URL, or a path on the source's origin
   * @returns the status and the URL of the document after redirects
   * @throws {SourceError} the errors of `fetch`, but without retries. A download instead of a document throws
   *   `source-changed`
   */
  goto(
    url: string,
    options?: Pick<FetchOptions, 'query' | 'timeoutS' | 'accept'> & {
      /** the event to wait for; default `load`, which a single script that never arrives can delay */
      readonly until?: 'commit' | 'domcontentloaded' | 'load'
    },
  ): Promise<{ readonly status: number; readonly url: string }>
  /** The current URL of the page, as a URL of the public site. */
  url(): Promise<string>
  /** The current document as HTML, with its doctype; 32 Mi characters at most. */
  html(): Promise<string>
  /**
   * Collects the responses to the page's requests, documents included, whose URL on the public site matches. Responses
   * of every status are included. For a request that is redirected, the response at the end is collected; if the
   * redirect leads to one of the source's `interstitials` or to another host, reading that response throws the error that
   * `fetch` would have thrown. A response arrives when its body is complete. Reading a body over 16 MiB throws. A page
   * may have 100 collections.
   *
   * @param url an expression without the flags g and y
   */
  answers(url: RegExp): Answers
  /** Waits until a matching element is visible. @returns false on timeout (default 15 s) */
  wait(selector: string, options?: { readonly timeoutS?: number }): Promise<boolean>
  /** Clicks the first matching element that is visible and not covered. @returns false on timeout (default 15 s) */
  click(selector: string, options?: { readonly timeoutS?: number }): Promise<boolean>
  /** Replaces the text of the first matching field that is visible. @returns false on timeout (default 15 s) */
  fill(selector: string, text: string, options?: { readonly timeoutS?: number }): Promise<boolean>
  /** Presses a key, e.g. `Enter`. */
  press(key: string): Promise<void>
  /**
   * Turns the mouse wheel.
   *
   * @param options `selector`: scroll over the first matching element that is visible; default: the middle of the
   *   window. `by`: pixels; default: the height of the window
   * @returns false when no such element exists
   */
  scroll(options?: { readonly selector?: string; readonly by?: number }): Promise<boolean>
  /**
   * Evaluates a JavaScript expression in the page, in the same world as its own scripts. Takes 30 s at most.
   *
   * @returns the value, awaited and converted to JSON; null where JSON cannot represent it
   * @throws {TryAgain} when the page navigated during the call
   * @throws an Error with the message of whatever the expression throws
   */
  evaluate(expression: string): Promise<unknown>
  /** Closes the page and its context. Another call of `context.page` opens a page in a fresh context. */
  close(): Promise<void>
}
