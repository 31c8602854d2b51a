/**
 * Navigation of a page: to the addresses that a task opens, and to those that its scripts open, but not to
 * interstitials and not off the source's hosts.
 *
 * @module
 */
import type { Frame, Response as PageResponse } from 'rebrowser-playwright'
import { unlessAborted } from '../../async/abort.ts'
import { withTimeout } from '../../async/delay.ts'
import { addressFault, interstitialOf, redirectFault } from '../../net/allowed-hosts.ts'
import { ExitLate, ExitUnreachable } from '../../net/transport/transport.ts'
import { SourceChanged, type SourceError, Unavailable } from '../../plugin/errors.ts'
import { withQuery } from '../../plugin/reading/urls.ts'
import { isWanted, statusError } from '../../plugin/run/status.ts'
import type { BrowserPage } from '../../plugin.ts'
import { failureOf, isTimeout } from '../failure.ts'
import { isRedirect } from './arrived.ts'
import type { OpenedPage } from './context.ts'
import type { Site } from './requests.ts'

type GotoOptions = Parameters<BrowserPage['goto']>[1]
type Document = { readonly status: number; readonly url: string }
/** A navigation under way, with its progress. */
type Going = {
  readonly url: URL
  document: Document | undefined
  /** rejects when the navigation leads to a forbidden address, or the document can't be loaded */
  readonly refused: PromiseWithResolvers<never>
  /** resolves when the browser shows its own error page instead of the document */
  readonly errorShown: PromiseWithResolvers<void>
}

const TIMEOUT_S = 30
/** How long the browser may take to show its own error page, in milliseconds. */
const SHOWN_MS = 5000

export class Navigation {
  private going: Going | undefined

  constructor(
    private readonly opened: OpenedPage,
    private readonly site: Site,
  ) {
    const { page } = opened
    page.on('framenavigated', (frame) => this.moved(frame))
    page.on('response', (response) => this.responded(response))
  }

  /** See {@link import('../../plugin.ts').BrowserPage.goto}. */
  async goto(address: string, options: GotoOptions = {}): Promise<Document> {
    const { site } = this
    const { page, ending } = this.opened
    const { timeoutS = TIMEOUT_S, accept, until = 'load' } = options
    const url = this.addressOf(address, options.query)
    ending.signal.throwIfAborted()
    const going: Going = {
      url,
      document: undefined,
      refused: Promise.withResolvers(),
      errorShown: Promise.withResolvers(),
    }
    this.going = going
    try {
      const opened = page.goto(url.href, { timeout: timeoutS * 1000, waitUntil: until })
      const came = opened.catch((error) => this.failed(error, going, timeoutS))
      await unlessAborted(ending.signal, Promise.race([going.refused.promise, came]))
    } finally {
      if (this.going === going) this.going = undefined
    }
    const { status } = going.document ?? { status: 200 }
    if (!isWanted(status, accept)) throw statusError(status)
    const shown = page.url()
    const interstitial = shown === url.href ? undefined : interstitialOf(site, shown)
    if (interstitial) throw interstitial
    return { status, url: shown }
  }

  /**
   * Whether the page may navigate to an address. If not, the `goto` under way throws the reason; without one, every
   * later call of the page throws it.
   */
  mayMove(url: URL, isRedirect: boolean): boolean {
    // `goto` has already checked its address, which may be an interstitial.
    if (!isRedirect && this.going?.url.href === url.href) return true
    // During a redirect the page's URL is not the redirecting address. requests.ts has checked for downgrades.
    const fault = redirectFault(this.site, url, isRedirect ? url : new URL(this.opened.page.url()))
    if (fault) this.refuse(fault)
    return !fault
  }

  /** Reports that the next document can't be loaded. */
  refuse(error: SourceError): void {
    if (this.going) {
      this.going.refused.reject(error)
      this.stopLoading()
    } else this.opened.ending.abort(error)
  }

  private addressOf(address: string, query: NonNullable<GotoOptions>['query']): URL {
    const { site } = this
    const url = withQuery(new URL(address, site.origin), query)
    const fault = addressFault(site, url)
    if (fault) throw new TypeError(`${site.name} may not open this: ${fault}`)
    return url
  }

  private async failed(error: unknown, going: Going, timeoutS: number): Promise<undefined> {
    this.opened.ending.signal.throwIfAborted()
    if (isTimeout(error)) {
      const isSilent = this.opened.isExitSilent()
      if (this.going === going) this.stopLoading()
      throw isSilent
        ? new ExitUnreachable(new ExitLate('here'))
        : new Unavailable(`no response within ${timeoutS} s`)
    }
    const { status } = going.document ?? {}
    // For a response without a body the browser shows its own error page, or nothing.
    if (/net::ERR_HTTP_RESPONSE_CODE_FAILURE/.test(String(error)))
      // A late error page would replace the next document. If the page has ended, the next call reports that.
      await withTimeout(SHOWN_MS, going.errorShown.promise, () => new Unavailable('')).catch(() => {})
    if (status !== undefined && (status >= 400 || status === 204 || status === 205)) return undefined
    if (status !== undefined && /net::ERR_ABORTED/.test(String(error)))
      throw new SourceChanged('a download instead of a page')
    throw failureOf(error)
  }

  /** Stops loading: a document that arrives later would change the page that the next call sees. */
  private stopLoading(): void {
    // A closed page loads nothing.
    void this.opened.session.send('Page.stopLoading').catch(() => {})
  }

  /** Checks the new address of a frame: scripts may change it without a request. */
  private moved(frame: Frame): void {
    if (frame !== this.opened.page.mainFrame()) return
    if (frame.url().startsWith('chrome-error:')) this.going?.errorShown.resolve()
    if (this.going) return
    const interstitial = interstitialOf(this.site, frame.url())
    if (interstitial) this.refuse(interstitial)
  }

  private responded(response: PageResponse): void {
    const request = response.request()
    if (!this.going || !request.isNavigationRequest() || isRedirect(response.status())) return
    if (request.frame() === this.opened.page.mainFrame())
      this.going.document = { status: response.status(), url: response.url() }
  }
}
