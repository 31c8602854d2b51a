/**
 * Pages of a run in a test: a real Chromium, started once per process. All its requests get canned responses.
 *
 * @module
 */
import type { Browser } from 'rebrowser-playwright'
import { findChromium } from '../../browser/chromium/find.ts'
import { launchChromium } from '../../browser/chromium/launch.ts'
import { NoBrowser } from '../../browser/failure.ts'
import { openPage } from '../../browser/page/open.ts'
import type { Driver } from '../../browser/page/page.ts'
import type { Transport } from '../../net/transport/transport.ts'
import type { Context } from '../run/context.ts'
import type { Source } from '../source.ts'

const path = findChromium(process.env.CHROMIUM_PATH || null)

/**
 * Whether Chromium was found on this machine. Without it, skip the tests of tasks that need a browser.
 *
 * @example
 * const flow = hasBrowser ? 'tested' : 'skipped'
 * flow.length // => 6
 */
export const hasBrowser: boolean = path !== undefined

let started: Promise<Browser> | undefined

/** The browser of this process, which ends with the process. */
function browser(): Promise<Browser> {
  if (path === undefined) throw new NoBrowser()
  if (!started) {
    const forget = () => {
      started = undefined
    }
    started = launchChromium(path)
    started.then((made) => made.on('disconnected', forget), forget)
  }
  return started
}

/** Closes the browser of this process, if one was started. An open browser would keep a program from exiting. */
export async function endBrowser(): Promise<void> {
  const made = await started
  await made?.close()
}

/** The `context.page` of one run, and a function that closes its page. */
export function pagesFor(
  source: Source,
  transport: Transport,
  signal: AbortSignal,
): { readonly page: Context['page']; close(): Promise<void> } {
  let open: Driver | undefined
  return {
    async page({ load = [] } = {}) {
      signal.throwIfAborted()
      await open?.close()
      const page = await openPage(await browser(), { site: source, load, answer: transport })
      open = page
      signal.addEventListener('abort', () => page.end(signal.reason), { once: true })
      return page
    },
    close: async () => open?.close(),
  }
}
