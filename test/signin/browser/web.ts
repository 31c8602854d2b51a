/**
 * Sign-ins on a small web, for tests.
 *
 * @module
 */
import { afterAll, afterEach, setDefaultTimeout } from 'bun:test'
import type { CDPSession, Page } from 'rebrowser-playwright'
import { until } from '../../../rigs/servers/processes.ts'
import type { BrowsersOptions } from '../../../src/browser/host/browsers.ts'
import type { Login } from '../../../src/plugin.ts'
import type { SignInPage } from '../../../src/signin/browser/page.ts'
import type { Viewport } from '../../../src/signin/browser/types.ts'
import { type Pages, site, startWeb } from '../../browser/web.ts'
import { LOGIN, Person, SessionEvents, VIEWPORT } from './person.ts'

/** A sign-in, its events, and the person who drives it. */
type Begun = { readonly signIn: SignInPage; readonly events: SessionEvents; readonly person: Person }

/** The page with which a sign-in begins. */
export const PAGE = 'www.site.example/login'
export const PHONE: Viewport = { width: 360, height: 640, touch: true, scale: 2 }

/** The page that a shared sign-in shows between two tests. */
const BETWEEN = 'www.site.example/between'

/** The private page and CDP session of a sign-in. */
export const partsOf = (signIn: SignInPage): { readonly page: Page; readonly session: CDPSession } =>
  (signIn as unknown as { readonly parts: { readonly page: Page; readonly session: CDPSession } }).parts

/** Starts a web and browsers, and ends each sign-in with its test. Call it at the top of the file. */
export function startSignIns(options: Partial<BrowsersOptions> = {}) {
  setDefaultTimeout(60_000)
  const started = startWeb(options)
  const { web, browsers } = started
  const open: SignInPage[] = []
  afterEach(async () => {
    await Promise.all(open.splice(0).map((signIn) => signIn.close()))
  })
  let shared: Begun | undefined
  afterAll(() => shared?.signIn.close())

  async function begin(pages: Pages, login: Login = LOGIN, viewport: Viewport = VIEWPORT): Promise<Begun> {
    web.pages = pages
    web.requests.length = 0
    const events = new SessionEvents()
    const signIn = await browsers.signIn({ site, login, viewport, exit: null, onEvent: events.onEvent })
    return { signIn, events, person: new Person(signIn) }
  }

  /** Opens a sign-in on a web of these pages. */
  async function opened(...wanted: Parameters<typeof begin>): Promise<Begun> {
    const begun = await begin(...wanted)
    open.push(begun.signIn)
    return begun
  }
  return {
    ...started,
    opened,
    /** Like `opened`, and waits until the first page has loaded. */
    async on(...wanted: Parameters<typeof opened>) {
      const begun = await opened(...wanted)
      await until(() => begun.events.last('loading')?.loading === false)
      return begun
    },
    /**
     * Shows these pages in a sign-in that the tests of a file share, with a host `id.example`, and waits until the page
     * of the sign-in has loaded. The pages must store nothing. A page in a new context costs five times as much as
     * another document.
     */
    async inShared(pages: Pages): Promise<Begun> {
      shared ??= await begin({}, { ...LOGIN, hosts: ['id.example'] })
      const { signIn, events } = shared
      const { page } = partsOf(signIn)
      web.pages = { ...pages, [BETWEEN]: '<title>between</title>' }
      await page.goto(`http://${BETWEEN}`)
      await events.title('between')
      // Otherwise an equal focus event of the next page would not be reported.
      await until(() => !events.last('focus')?.focus)
      events.events.length = 0
      web.requests.length = 0
      await page.goto(`http://${PAGE}`)
      return shared
    },
  }
}
