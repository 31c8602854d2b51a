/**
 * Opens a page for a task.
 *
 * @module
 */
import type { Browser, BrowserContextOptions, CDPSession } from 'rebrowser-playwright'
import type { Observer } from '../../net/transport/observer.ts'
import { inFreshContext, type Surroundings } from './context.ts'
import { Driver } from './page.ts'
import { Requests, type RequestsOptions } from './requests.ts'
import { checkRestored } from './state.ts'
import { stayOnWeb } from './stay-on-web.ts'

export type OpenOptions = Surroundings &
  Pick<RequestsOptions, 'site' | 'load'> & {
    /** a signed-in state in Playwright's format */
    readonly storageState?: Exclude<BrowserContextOptions['storageState'], string>
    /** observes its exchanges */
    readonly observer?: Observer | undefined
  }

/**
 * Opens a page.
 *
 * @throws the browser's error, when it has ended
 */
export function openPage(browser: Browser, options: OpenOptions): Promise<Driver> {
  const { site, load, answer, storageState, observer } = options
  const inContext = { viewport: null, ...(storageState && { storageState }) }
  return inFreshContext(browser, options, inContext, async (opened) => {
    const { context, page, session } = opened
    if (storageState) await checkRestored(context, storageState)
    const driver = new Driver(opened, site, observer)
    const requests = new Requests({ ...opened, site, load, answer, navigation: driver.navigation })
    // Closes windows that the page opens, and ignores file choosers: nobody is looking. Playwright dismisses dialogs.
    context.on('page', (other) => other !== page && void other.close().catch(() => {}))
    page.on('filechooser', () => {})
    await hide(session)
    await stayOnWeb(session)
    await requests.start()
    return driver
  })
}

/** Minimizes the window: nothing is drawn, but the page runs as if visible. It saves a sixth of a page's time. */
async function hide(session: CDPSession): Promise<void> {
  const { windowId } = await session.send('Browser.getWindowForTarget')
  await session.send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'minimized' } })
}
