/**
 * Opening a page in a fresh context, which nothing else shares and nothing outlives.
 *
 * @module
 */
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession } from 'rebrowser-playwright'
import { withTimeout } from '../../async/delay.ts'
import type { Observer } from '../../net/transport/observer.ts'
import type { SourceError } from '../../plugin/errors.ts'
import type { PageOptions } from '../../plugin.ts'
import { BrowserFailed } from '../failure.ts'
import { Navigation } from './navigation.ts'
import { Driver } from './page.ts'
import { type Answer, Requests, type Site } from './requests.ts'
import { World } from './script.ts'
import { stayOnWeb } from './stay-on-web.ts'

export type OpenOptions = {
  readonly site: Site
  readonly load?: PageOptions['load'] | undefined
  /** where the context's requests go; without it, and without `answer`, nowhere */
  readonly proxy?: string
  /** answers every request in place of the network */
  readonly answer?: Answer
  /** a signed-in state, as Playwright saves it */
  readonly storageState?: BrowserContextOptions['storageState'] | undefined
  /** watches its exchanges */
  readonly observer?: Observer | undefined
  /** why it has just crashed; default: in passing */
  readonly crash?: () => SourceError
}

/** How long a context may take to close, in milliseconds. */
const CLOSE_MS = 10_000

/**
 * Opens a page.
 *
 * @throws what the browser throws, when it has ended
 */
export async function openPage(browser: Browser, options: OpenOptions): Promise<Driver> {
  const { site, load = [], proxy, answer, storageState, observer, crash = crashed } = options
  const context = await browser.newContext({
    acceptDownloads: false,
    // All are refused without asking anyone.
    permissions: [],
    viewport: null,
    ...(proxy === undefined ? {} : { proxy: { server: proxy } }),
    ...(storageState === undefined ? {} : { storageState }),
  })
  try {
    const page = await context.newPage()
    const ending = new AbortController()
    const session = await context.newCDPSession(page)
    const frameId = (await session.send('Page.getFrameTree')).frameTree.frame.id
    const navigation = new Navigation({ page, session, site, ending })
    const driver = new Driver({
      page,
      session,
      world: new World(session, frameId),
      navigation,
      ending,
      observer,
      crash,
      close: () => close(browser, context, requests),
    })
    const requests = new Requests({
      session,
      frameId,
      site,
      load,
      answer,
      mayMove: (url, isRedirect) => navigation.mayMove(url, isRedirect),
      failed: (error) => navigation.refuse(error),
      ending,
    })
    // A window that the page opens, a dialog, a file to be chosen: nobody is there to look.
    context.on('page', (other) => other !== page && void other.close().catch(() => {}))
    page.on('filechooser', () => {})
    await hide(session)
    await stayOnWeb(session)
    await requests.start()
    // A service worker could answer in place of the site; its own requests go where the context's may.
    await session.send('Network.setBypassServiceWorker', { bypass: true })
    return driver
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Nobody looks: its window draws nothing, while the page goes on as if somebody did. It saves a sixth of the time of a page. */
async function hide(session: CDPSession): Promise<void> {
  const { windowId } = await session.send('Browser.getWindowForTarget')
  await session.send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'minimized' } })
}

const crashed = (): SourceError => new BrowserFailed('the page crashed')

/** A browser that does not close a context is good for nothing any more. */
async function close(browser: Browser, context: BrowserContext, requests: Requests): Promise<void> {
  requests.stop()
  const late = () => new Error('the context does not close')
  await withTimeout(CLOSE_MS, context.close(), late).catch(() => browser.close())
}
