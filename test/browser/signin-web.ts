/**
 * People who sign in on a small web, for tests.
 *
 * @module
 */
import { afterEach, setDefaultTimeout } from 'bun:test'
import type { BrowsersOptions } from '../../src/browser/browsers.ts'
import type { SignIn } from '../../src/browser/signin/signin.ts'
import type { Viewport } from '../../src/browser/signin/types.ts'
import type { Login } from '../../src/plugin.ts'
import { until } from '../start/processes.ts'
import { LOGIN, Person, Told, VIEWPORT } from './signin-person.ts'
import { type Pages, site, startWeb } from './web.ts'

/** Where a sign-in begins. */
export const PAGE = 'www.site.example/login'
export const PHONE: Viewport = { width: 360, height: 640, touch: true, scale: 2 }

/** Starts a web and browsers, and ends each sign-in with its test. Call it at the top of the file. */
export function startSignIns(options: Partial<BrowsersOptions> = {}) {
  setDefaultTimeout(60_000)
  const started = startWeb(options)
  const { web, browsers } = started
  const open: SignIn[] = []
  afterEach(async () => {
    await Promise.all(open.splice(0).map((signIn) => signIn.close()))
  })
  /** Opens a sign-in on a web of these pages. */
  async function opened(pages: Pages, login: Login = LOGIN, viewport: Viewport = VIEWPORT) {
    web.pages = pages
    web.asked.length = 0
    const told = new Told()
    const signIn = await browsers.signIn({ site, login, viewport, onEvent: told.onEvent })
    open.push(signIn)
    return { signIn, told, person: new Person(signIn) }
  }
  return {
    ...started,
    opened,
    /** The same, and waits until its first page is there. */
    async on(...wanted: Parameters<typeof opened>) {
      const begun = await opened(...wanted)
      await until(() => begun.told.last('loading')?.loading === false)
      return begun
    },
  }
}
