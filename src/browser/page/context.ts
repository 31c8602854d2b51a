/**
 * A page in a fresh context, which no other page shares and no state outlives.
 *
 * @module
 */
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'rebrowser-playwright'
import { withTimeout } from '../../async/delay.ts'
import type { Usage } from '../../net/transport/usage.ts'
import type { SourceError } from '../../plugin/errors.ts'
import { BrowserFailed } from '../failure.ts'

/**
 * Answers a request instead of the network. The request's address and a redirect's `location` are public addresses.
 *
 * @throws {SourceError} when the source can't be reached: the request fails
 * @throws any other error: it ends the page
 */
export type Responder = (request: Request) => Promise<Response>

/** The destination of a page's requests, and the meaning of its crash. */
export type Surroundings = {
  /** the context's proxy; with neither this nor `answer` its requests fail */
  readonly proxy?: string | undefined
  /** whether the proxy waits for its exit, through which nothing has come yet; default: it has none */
  readonly isExitSilent?: (() => boolean) | undefined
  /** answers every request instead of the network */
  readonly answer?: Responder | undefined
  /** counts its requests */
  readonly usage?: Usage | undefined
  /** returns why the page has just crashed */
  readonly crash: () => SourceError
}

/** The opener's handles of a page. */
export type OpenedPage = {
  readonly context: BrowserContext
  readonly page: Page
  readonly session: CDPSession
  /** of the main frame */
  readonly frameId: string
  /** see {@link Surroundings} */
  readonly isExitSilent: () => boolean
  /** aborts, with the reason, once no operation on the page can succeed */
  readonly ending: AbortController
  /** closes the page and its context; idempotent, and never rejects */
  readonly close: () => void
  /** resolves when the page and its context are gone */
  readonly closed: Promise<void>
}

/** How long a context may take to close, in milliseconds. */
const CLOSE_MS = 10_000

/**
 * Opens a page.
 *
 * @param build wraps the opened page; its result is ended when the page crashes or the browser ends
 * @throws the browser's error, when it has ended
 */
export async function inFreshContext<T extends { end(reason: unknown): unknown }>(
  browser: Browser,
  { proxy, usage, crash, isExitSilent = () => false }: Surroundings,
  options: BrowserContextOptions,
  build: (opened: OpenedPage) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({
    acceptDownloads: false,
    // All permissions are denied without a prompt.
    permissions: [],
    ...options,
    ...(proxy === undefined ? {} : { proxy: { server: proxy } }),
  })
  // Requests that are blocked have no response.
  if (usage) context.on('response', () => void usage.requests++)
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    const frameId = (await session.send('Page.getFrameTree')).frameTree.frame.id
    // A service worker could answer instead of the site. Its own requests are limited like the context's.
    await session.send('Network.setBypassServiceWorker', { bypass: true })
    const ending = new AbortController()
    const gone = Promise.withResolvers<SourceError>()
    page.on('crash', () => gone.resolve(crash()))
    page.on('close', () => gone.resolve(new BrowserFailed('the browser ended')))
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= closeInTime(browser, context)
      resolve(closing)
    }
    const built = await build({ context, page, session, frameId, isExitSilent, ending, close, closed })
    void gone.promise.then((why) => built.end(why))
    return built
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Closes a context. A browser that fails to do so in time is unusable and is closed. */
async function closeInTime(browser: Browser, context: BrowserContext): Promise<void> {
  const late = () => new Error('the context did not close in time')
  await withTimeout(CLOSE_MS, context.close(), late).catch(() => browser.close())
}
