/**
 * Reports the page's address, loading state and focus, in addition to its picture. Each is reported when it has
 * changed, at most ten times a second: a script can change its address without limit.
 *
 * @module
 */
import { withTimeout } from '../../async/delay.ts'
import { onceMore } from '../../async/once-more.ts'
import { clearTimeout, setTimeout, type Timer } from '../../async/timers.ts'
import { PageError } from '../../browser/failure.ts'
import type { OpenedPage } from '../../browser/page/context.ts'
import { TryAgain } from '../../plugin/errors.ts'
import { lookAt } from './look.ts'
import type { Notices } from './notices.ts'
import { plain, plainAddress } from './plain.ts'
import type { SignInEvent } from './types.ts'

/** Time limit for reading the focus, in milliseconds. A page that misses it is asked again later. */
const LOOK_MS = 2000
/** A page that does not respond for this long is stuck in a script, in milliseconds. Termination takes less time. */
const UNSTICK_MS = 1000
/** Minimum interval between two reports of changes, in milliseconds. */
const PACE_MS = 100

export type ReporterOptions = Pick<OpenedPage, 'page' | 'session' | 'frameId'> & {
  readonly notices: Notices
  readonly tell: (event: SignInEvent) => void
  /** called with errors that a busy or navigating page does not explain */
  readonly onFailure: (error: unknown) => void
}

export class Reporter {
  /** the last reported event of each type, as JSON */
  private readonly reported = new Map<SignInEvent['type'], string>()
  /** the current events, to be reported when the pause ends */
  private readonly newest = new Map<SignInEvent['type'], SignInEvent>()
  private pause: Timer | undefined
  private title = ''
  /** the address that could not be loaded, for while the browser shows its error page */
  private unloaded = ''
  private isLoading = false
  private onSettled: (() => void) | undefined
  private isStopped = false

  constructor(private readonly options: ReporterOptions) {
    const { page, session, notices } = options
    const isMain = (frameId: string) => frameId === options.frameId
    session.on('Page.frameStartedLoading', ({ frameId }) => isMain(frameId) && this.loading(true))
    session.on('Page.frameStoppedLoading', ({ frameId }) => isMain(frameId) && this.loading(false))
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) {
        // The title belongs to the previous document until the next look.
        this.title = ''
        this.address()
      }
      this.look()
    })
    page.on('requestfailed', (request) => {
      if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return
      // A request that was refused, or aborted for another navigation, leaves the page unchanged.
      if (request.failure()?.errorText === 'net::ERR_ABORTED') return
      this.unloaded = request.url()
      notices.add('not-loaded')
    })
  }

  /** Reports the pending events at once, and nothing afterwards. */
  stop(): void {
    this.tellNewest()
    clearTimeout(this.pause)
    this.isStopped = true
  }

  /** Reads the page and reports changes. */
  readonly look = onceMore(() => this.lookNow())

  /** Terminates a script of the page that runs endlessly, which would block even navigation. */
  async unstick(): Promise<void> {
    const { session } = this.options
    const late = new TryAgain('the page says nothing')
    const answers = (work: Promise<unknown>) =>
      withTimeout(UNSTICK_MS, work, () => late).then(
        () => true,
        (error) => error !== late,
      )
    if (await answers(session.send('Runtime.evaluate', { expression: '0' }))) return
    await answers(session.send('Runtime.terminateExecution'))
  }

  /** Resolves when the page has stopped loading, or after a time in milliseconds. */
  async settled(ms: number): Promise<void> {
    if (!this.isLoading) return
    const settled = new Promise<void>((go) => {
      this.onSettled = go
    })
    // A page that never finishes loading has stored what it needs by now.
    await withTimeout(ms, settled, () => new TryAgain('')).catch(() => {})
  }

  private async lookNow(): Promise<void> {
    try {
      const late = () => new TryAgain('the page says nothing')
      const { title, focus, tried } = await withTimeout(LOOK_MS, lookAt(this.options.session), late)
      this.title = plain(title)
      this.address()
      this.changed({ type: 'focus', focus: focus && { ...focus, label: plain(focus.label) } })
      for (const code of tried) this.options.notices.add(code)
    } catch (error) {
      // The page navigated away, is busy, or has elements whose names shadow the properties read. It is read again.
      if (!(error instanceof TryAgain || error instanceof PageError)) this.options.onFailure(error)
    }
  }

  private address(): void {
    const shown = this.options.page.url()
    const url = shown.startsWith('chrome-error:') ? this.unloaded : shown
    if (/^https?:/.test(url)) this.changed({ type: 'address', url: plainAddress(url), title: this.title })
  }

  private loading(loading: boolean): void {
    this.isLoading = loading
    this.changed({ type: 'loading', loading })
    if (loading) return
    this.onSettled?.()
    this.look()
  }

  private changed(event: SignInEvent): void {
    if (this.isStopped) return
    this.newest.set(event.type, event)
    if (!this.pause) this.tellNewest()
  }

  /** Reports the events that differ from the last reported ones, and then pauses. */
  private tellNewest(): void {
    this.pause = undefined
    for (const [type, event] of this.newest) {
      const text = JSON.stringify(event)
      if (this.reported.get(type) === text) continue
      this.reported.set(type, text)
      this.options.tell(event)
      this.pause ??= setTimeout(() => this.tellNewest(), PACE_MS)
    }
    this.newest.clear()
  }
}
