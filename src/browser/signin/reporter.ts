/**
 * What is told of the page beside its picture: where it is, whether it loads, what has the focus. Each is told when it
 * has changed, at most ten times a second: a script can change its address as often as it likes.
 *
 * @module
 */
import { withTimeout } from '../../async/delay.ts'
import { onceMore } from '../../async/once-more.ts'
import { clearTimeout, setTimeout, type Timer } from '../../async/timers.ts'
import { TryAgain } from '../../plugin/errors.ts'
import { PageError } from '../failure.ts'
import type { OpenedPage } from '../page/context.ts'
import { Looks } from './look.ts'
import type { Notices } from './notices.ts'
import { plain, plainAddress } from './plain.ts'
import type { SignInEvent } from './types.ts'

/** A page that does not say in time what has the focus is asked again later, in milliseconds. */
const LOOK_MS = 2000
/** A page that says nothing for so long is busy with itself; scripts end sooner when they are told to; milliseconds. */
const UNSTICK_MS = 1000
/** Between two tellings of what has changed, in milliseconds. */
const PACE_MS = 100

export type ReporterOptions = Pick<OpenedPage, 'page' | 'session' | 'frameId'> & {
  readonly notices: Notices
  readonly tell: (event: SignInEvent) => void
  /** told of what is no moment of the page's, but ours */
  readonly onFailure: (error: unknown) => void
}

export class Reporter {
  private readonly looks: Looks
  /** as JSON, what was told last of each type */
  private readonly told = new Map<SignInEvent['type'], string>()
  /** how things stand, where it is to be told when the pause is over */
  private readonly newest = new Map<SignInEvent['type'], SignInEvent>()
  private pause: Timer | undefined
  private title = ''
  /** the address of what could not be loaded, while the browser's own page about that is shown */
  private unloaded = ''
  private isLoading = false
  private onSettled: (() => void) | undefined
  private isStopped = false

  constructor(private readonly options: ReporterOptions) {
    const { page, session, notices } = options
    this.looks = new Looks(session)
    const isMain = (frameId: string) => frameId === options.frameId
    session.on('Page.frameStartedLoading', ({ frameId }) => isMain(frameId) && this.loading(true))
    session.on('Page.frameStoppedLoading', ({ frameId }) => isMain(frameId) && this.loading(false))
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) {
        // Another document's, until it is looked at.
        this.title = ''
        this.address()
      }
      this.look()
    })
    page.on('requestfailed', (request) => {
      if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return
      // What was refused, or given up for another page, leaves the page as it was.
      if (request.failure()?.errorText === 'net::ERR_ABORTED') return
      this.unloaded = request.url()
      notices.add('not-loaded')
    })
  }

  /** To be called once, before the page goes anywhere. */
  start(): Promise<void> {
    return this.looks.start()
  }

  /** Tells at once what was to be told later, and nothing more: it is over. */
  stop(): void {
    this.tellNewest()
    clearTimeout(this.pause)
    this.isStopped = true
  }

  /** Looks at the page, and tells what has changed. */
  readonly look = onceMore(() => this.lookNow())

  /** Ends what the page's scripts are doing, when they do it without end: it could not even be left. */
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

  /** Resolves when the page does not load any more, or after a time in milliseconds. */
  async settled(ms: number): Promise<void> {
    if (!this.isLoading) return
    const settled = new Promise<void>((go) => {
      this.onSettled = go
    })
    // One that never has loaded all has kept by now what it needs.
    await withTimeout(ms, settled, () => new TryAgain('')).catch(() => {})
  }

  private async lookNow(): Promise<void> {
    try {
      const late = () => new TryAgain('the page says nothing')
      const { title, focus, tried } = await withTimeout(LOOK_MS, this.looks.look(), late)
      this.title = plain(title)
      this.address()
      this.changed({ type: 'focus', focus: focus && { ...focus, label: plain(focus.label) } })
      for (const code of tried) this.options.notices.add(code)
    } catch (error) {
      // It moved on, is busy, or has elements by the names of what is read: there is another look soon.
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

  /** Tells what differs from what was told last, and no more for a while. */
  private tellNewest(): void {
    this.pause = undefined
    for (const [type, event] of this.newest) {
      const text = JSON.stringify(event)
      if (this.told.get(type) === text) continue
      this.told.set(type, text)
      this.options.tell(event)
      this.pause ??= setTimeout(() => this.tellNewest(), PACE_MS)
    }
    this.newest.clear()
  }
}
