/**
 * Pages of a run in a test: a real Chromium, started once in a process, whose every request gets a canned answer.
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
 * Whether this machine has a Chromium: tests of tasks that need one are skipped without it.
 *
 * @example
 * const flow = hasBrowser ? 'tested' : 'skipped'
 * flow.length // => 6
 */
export const hasBrowser: boolean = path !== undefined

let started: Promise<Browser> | undefined

/** The one of this process; it ends with it. */
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

/** Ends the browser of this process, where one was started: it would keep a program from ending. */
export async function endBrowser(): Promise<void> {
  const made = await started
  await made?.close()
}

/** `context.page` of one run, and what closes its page. */
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
