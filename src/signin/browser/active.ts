/**
 * Retries commands that fail while a page has no active document. This happens when the next document is about to
 * replace the current one, in another process; the browser then refuses most commands for the page.
 *
 * @module
 */
import { retry } from '../../async/retry.ts'

/** Delay between two attempts, in milliseconds. A page is seldom without a document for longer. */
const AGAIN_MS = 20
/** How long a page may be without a document, in milliseconds. On a busy machine it can take long. */
const MOST_MS = 10_000

/** Chromium's error messages. */
const PASSING =
  /Not attached to an active page|Internal error|navigated or closed|Cannot find context|No frame for given id|context was destroyed/
const GONE = /has been closed|session closed|target closed|target crashed/i

/** Whether the browser refused a command because the page was between two documents. */
export const isPassing = (error: unknown): boolean => PASSING.test(String(error))

/** Whether the browser refused a command because the page is gone. The page's own event reports that. */
export const isGone = (error: unknown): boolean => GONE.test(String(error))

/**
 * Does work on the page as soon as it has a document.
 *
 * @throws the browser's error, when it has another reason or persists
 */
export const whenActive = <T>(work: () => Promise<T>): Promise<T> =>
  retry(work, { when: isPassing, firstMs: AGAIN_MS, longestMs: AGAIN_MS, forMs: MOST_MS })
