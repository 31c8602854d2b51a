/**
 * Opening the page in which a person signs in: a fresh context, as for a page of a run, but whole, and seen.
 *
 * @module
 */
import type { Browser, BrowserContext, BrowserContextOptions } from 'rebrowser-playwright'
import { withTimeout } from '../../async/delay.ts'
import { addressFault, Downgrade } from '../../net/allowed-hosts.ts'
import type { SourceError } from '../../plugin/errors.ts'
import type { Login } from '../../plugin.ts'
import { BrowserFailed } from '../failure.ts'
import { type Answer, Requests, type Site } from '../page/requests.ts'
import { SignIn } from './signin.ts'
import type { SignInEvent, Viewport } from './types.ts'

export type SignInOptions = {
  /** from {@link siteOf} */
  readonly site: Site
  readonly login: Login
  readonly viewport: Viewport
  /** where the context's requests go; without it, and without `answer`, nowhere */
  readonly proxy?: string
  /** answers every request in place of the network */
  readonly answer?: Answer
  /** told of all that the person is to be told; not from within the call that opens it */
  readonly onEvent: (event: SignInEvent) => void
  /** why it has just crashed; default: in passing */
  readonly crash?: () => SourceError
}

/** How long a context may take to close, in milliseconds. */
const CLOSE_MS = 10_000

/** A source's site while a person signs in: the login's hosts are its own, and the pages to sign in are no interstitials. */
export const siteOf = (
  { interstitials: _, hosts = [], ...site }: Site,
  { hosts: more = [] }: Login,
): Site => ({
  ...site,
  hosts: [...hosts, ...more],
})

/**
 * Opens the page and goes to where a person signs in. An address that can't be reached is told by a notice.
 *
 * @throws what the browser throws, when it has ended
 */
export async function openSignIn(browser: Browser, options: SignInOptions): Promise<SignIn> {
  const {
    site,
    login,
    viewport,
    answer,
    onEvent,
    crash = () => new BrowserFailed('the page crashed'),
  } = options
  const context = await browser.newContext(contextOptions(options))
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    const frameId = (await session.send('Page.getFrameTree')).frameTree.frame.id
    const ending = new AbortController()
    page.on('crash', () => ending.abort(crash()))
    page.on('close', () => ending.abort(new BrowserFailed('the browser ended')))
    const signIn: SignIn = new SignIn({
      ...{ context, page, session, frameId, login, viewport, ending, onEvent },
      origin: site.origin,
      close: () => close(browser, context, requests),
    })
    const requests = new Requests({
      ...{ session, frameId, site, answer, ending },
      load: ['images', 'fonts', 'media'],
      mayMove: (url) => mayMove(site, url, signIn),
      failed: (error) => signIn.notices.add(noticeOf(error)),
    })
    await requests.start()
    await session.send('Page.enable')
    // A service worker could answer in place of the site; its own requests go where the context's may.
    await session.send('Network.setBypassServiceWorker', { bypass: true })
    await signIn.begin()
    return signIn
  } catch (error) {
    await context.close()
    throw error
  }
}

function contextOptions({ viewport, proxy }: SignInOptions): BrowserContextOptions {
  const { width, height, touch, scale } = viewport
  return {
    acceptDownloads: false,
    // All are refused without asking anyone.
    permissions: [],
    viewport: { width, height },
    deviceScaleFactor: scale,
    hasTouch: touch,
    isMobile: touch,
    ...(proxy === undefined ? {} : { proxy: { server: proxy } }),
  }
}

function noticeOf(error: SourceError): 'unencrypted' | 'protocol' | 'not-loaded' {
  if (error instanceof Downgrade) return 'unencrypted'
  return error.code === 'source-redirected' ? 'protocol' : 'not-loaded'
}

function mayMove(site: Site, url: URL, signIn: SignIn): boolean {
  if (addressFault(site, url) === undefined) return true
  signIn.notices.left(url.host || url.protocol)
  return false
}

/** A browser that does not close a context is good for nothing any more. */
async function close(browser: Browser, context: BrowserContext, requests: Requests): Promise<void> {
  requests.stop()
  const late = () => new Error('the context does not close')
  await withTimeout(CLOSE_MS, context.close(), late).catch(() => browser.close())
}
