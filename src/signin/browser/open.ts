/**
 * Opens the page in which a person signs in: like a page of a run, but with all resource types and visible.
 *
 * @module
 */
import type { Browser } from 'rebrowser-playwright'
import { inFreshContext, type Surroundings } from '../../browser/page/context.ts'
import { Requests, type Site } from '../../browser/page/requests.ts'
import { addressFault, Downgrade } from '../../net/allowed-hosts.ts'
import type { ExitUrl } from '../../net/exits/choose.ts'
import type { SourceError } from '../../plugin/errors.ts'
import type { Login } from '../../plugin.ts'
import { SignInPage } from './page.ts'
import type { SignInListener, Viewport } from './types.ts'

/** The target of a sign-in, and the receiver of its reports. */
export type SignInTarget = SignInListener & {
  readonly site: Site
  readonly login: Pick<Login, 'url' | 'hosts' | 'signedIn'>
  readonly viewport: Viewport
  /** of the login; null: direct */
  readonly exit: ExitUrl | null
}

/** A source's site during a sign-in: the login's hosts are allowed, and sign-in pages don't count as interstitials. */
export const siteOf = ({ site, login }: Pick<SignInTarget, 'site' | 'login'>): Site => {
  const { interstitials: _, hosts = [], ...rest } = site
  return { ...rest, hosts: [...hosts, ...(login.hosts ?? [])] }
}

/**
 * Opens the page and navigates to the sign-in address. A notice reports an unreachable address.
 *
 * @param target its site is from {@link siteOf}
 * @throws the browser's error, when it has ended
 */
export function openSignInPage(browser: Browser, target: SignInTarget & Surroundings): Promise<SignInPage> {
  const { site, login, viewport, answer, onEvent, onExitFailed } = target
  const { width, height, touch, scale } = viewport
  const inContext = {
    viewport: { width, height },
    deviceScaleFactor: scale,
    hasTouch: touch,
    isMobile: touch,
  }
  return inFreshContext(browser, target, inContext, async (opened) => {
    const signIn: SignInPage = new SignInPage({
      ...opened,
      login,
      viewport,
      onEvent,
      onExitFailed,
      origin: site.origin,
    })
    const requests = new Requests({
      ...opened,
      site,
      answer,
      load: ['images', 'fonts', 'media'],
      navigation: {
        mayMove: (url) => mayMove(site, url, signIn),
        refuse: (error) => signIn.notices.add(noticeOf(error)),
      },
    })
    await requests.start()
    await opened.session.send('Page.enable')
    await signIn.begin()
    return signIn
  })
}

function noticeOf(error: SourceError): 'unencrypted' | 'protocol' | 'not-loaded' {
  if (error instanceof Downgrade) return 'unencrypted'
  return error.code === 'source-redirected' ? 'protocol' : 'not-loaded'
}

function mayMove(site: Site, url: URL, signIn: SignInPage): boolean {
  if (addressFault(site, url) === undefined) return true
  signIn.notices.left(url.host || url.protocol)
  return false
}
