/**
 * Pages of a run in a test: a real Chromium, started once per process. All its requests get canned responses.
 *
 * @module
 */

import { findChromium } from '../../browser/chromium/find.ts'
import { Browsers } from '../../browser/host/browsers.ts'
import type { Driver } from '../../browser/page/page.ts'
import type { Transport } from '../../net/transport/transport.ts'
import type { Context } from '../run/context.ts'
import type { Source } from '../source.ts'

/** The most pages open at once. */
const MOST_PAGES = 100
const path = findChromium(process.env.CHROMIUM_PATH || null)

/**
 * Whether Chromium was found on this machine. Without it, skip the tests of tasks that need a browser.
 *
 * @example
 * const flow = hasBrowser ? 'tested' : 'skipped'
 * flow.length // => 6
 */
export const hasBrowser: boolean = path !== undefined

let browsers: Browsers | undefined

/** Closes the browser of this process, if one was started. An open browser would keep a program from exiting. */
export async function endBrowser(): Promise<void> {
  await browsers?.stop()
  browsers = undefined
}

/** The `context.page` of one run, and a function that closes its page. */
export function pagesFor(
  site: Source,
  answer: Transport,
  signal: AbortSignal,
): { readonly page: Context['page']; close(): Promise<void> } {
  let open: Driver | undefined
  return {
    async page({ load = [] } = {}) {
      await open?.close()
      const options = { origins: {}, most: MOST_PAGES, onFailure: console.error }
      browsers ??= new Browsers({ ...options, executable: () => path })
      open = await browsers.open({ site, load, answer, signal })
      return open
    },
    close: async () => open?.close(),
  }
}
