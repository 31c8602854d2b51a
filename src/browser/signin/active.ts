/**
 * The moments in which a page has no document: its next one is about to take the place of the one before, in another
 * process, and the browser then refuses most of what concerns the page.
 *
 * @module
 */
import { retry } from '../../async/retry.ts'

/** Between two tries, in milliseconds; a moment is seldom longer. */
const AGAIN_MS = 20
/** How long a page may be without a document, in milliseconds: a machine that has much else to do takes its time. */
const MOST_MS = 10_000

/** In Chromium's words. */
const PASSING =
  /Not attached to an active page|Internal error|navigated or closed|Cannot find context|No frame for given id|context was destroyed/
const GONE = /has been closed|session closed|target closed|target crashed/i

/** Whether the browser refused something because its page was between two documents. */
export const isPassing = (error: unknown): boolean => PASSING.test(String(error))

/** Whether it did because there is no such page any more, which is heard of by the page's own event. */
export const isGone = (error: unknown): boolean => GONE.test(String(error))

/**
 * Does something with the page, as soon as it has a document.
 *
 * @throws what the browser says for another reason, or for longer
 */
export const whenActive = <T>(work: () => Promise<T>): Promise<T> =>
  retry(work, { when: isPassing, firstMs: AGAIN_MS, longestMs: AGAIN_MS, forMs: MOST_MS })
