/**
 * A page in a fresh context, which nothing else shares and nothing outlives.
 *
 * @module
 */
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'rebrowser-playwright'
import { withTimeout } from '../../async/delay.ts'
import type { SourceError } from '../../plugin/errors.ts'
import { BrowserFailed } from '../failure.ts'
import type { Answer } from './requests.ts'

/** Where a page's requests go, and what its crash means. */
export type Surroundings = {
  /** where the context's requests go; without it, and without `answer`, nowhere */
  readonly proxy?: string
  /** answers every request in place of the network */
  readonly answer?: Answer
  /** why it has just crashed; default: in passing */
  readonly crash?: () => SourceError
}

/** What whoever opened a page has of it. */
export type OpenedPage = {
  readonly context: BrowserContext
  readonly page: Page
  readonly session: CDPSession
  /** of the main frame */
  readonly frameId: string
  /** aborts with the reason why nothing of the page can succeed any more */
  readonly ending: AbortController
  /** ends the page with its context; never rejects */
  readonly close: () => Promise<void>
}

/** How long a context may take to close, in milliseconds. */
const CLOSE_MS = 10_000

/**
 * Opens a page.
 *
 * @param build makes of it what it is for; that is ended when the page crashes or its browser ends
 * @throws what the browser throws, when it has ended
 */
export async function inFreshContext<T extends { end(reason: unknown): unknown }>(
  browser: Browser,
  { proxy, crash = () => new BrowserFailed('the page crashed') }: Surroundings,
  options: BrowserContextOptions,
  build: (opened: OpenedPage) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({
    acceptDownloads: false,
    // All are refused without asking anyone.
    permissions: [],
    ...options,
    ...(proxy === undefined ? {} : { proxy: { server: proxy } }),
  })
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    const frameId = (await session.send('Page.getFrameTree')).frameTree.frame.id
    // A service worker could answer in place of the site; its own requests go where the context's may.
    await session.send('Network.setBypassServiceWorker', { bypass: true })
    const ending = new AbortController()
    let built: T | undefined
    let over: SourceError | undefined
    const ended = (why: SourceError) => {
      over ??= why
      built?.end(over)
    }
    page.on('crash', () => ended(crash()))
    page.on('close', () => ended(new BrowserFailed('the browser ended')))
    const close = () => closed(browser, context)
    built = await build({ context, page, session, frameId, ending, close })
    if (over) built.end(over)
    return built
  } catch (error) {
    await context.close()
    throw error
  }
}

/** A browser that does not close a context is good for nothing any more. */
async function closed(browser: Browser, context: BrowserContext): Promise<void> {
  const late = () => new Error('the context does not close')
  await withTimeout(CLOSE_MS, context.close(), late).catch(() => browser.close())
}
