/**
 * One sign-in: a page driven by a person, from its opening to success or failure.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { onceMore } from '../../async/once-more.ts'
import { clearInterval, setInterval, type Timer } from '../../async/timers.ts'
import type { OpenedPage } from '../../browser/page/context.ts'
import { stateOf } from '../../browser/page/state.ts'
import type { ExitFailure } from '../../net/transport/transport.ts'
import { Unavailable } from '../../plugin/errors.ts'
import type { Login } from '../../plugin.ts'
import { isGone, isPassing, whenActive } from './active.ts'
import { checkInput } from './check.ts'
import { SignInError, signInErrorOf } from './errors.ts'
import { Frames } from './frames.ts'
import { type Action, Inputs } from './inputs.ts'
import { startWatch } from './look.ts'
import { Notices, refuseAll } from './notices.ts'
import { Reporter } from './reporter.ts'
import { finenessOf, shapeScreen } from './screen.ts'
import { signedInUntil } from './success.ts'
import type { Frame, SignedIn, SignInEvent, SignInListener, Viewport } from './types.ts'

export type SignInPageParts = OpenedPage & {
  readonly login: Pick<Login, 'url' | 'signedIn'>
  /** of the source */
  readonly origin: string
  readonly viewport: Viewport
} & Pick<SignInListener, 'onEvent' | 'onExitFailed'>

/** Interval between two checks of the cookies, in milliseconds, when no event triggers one. */
const WATCH_MS = 1000
/** How long a page that keeps loading may take to store its state, in milliseconds. */
const SETTLE_MS = 5000

export class SignInPage {
  readonly notices: Notices
  private readonly frames: Frames
  private readonly inputs: Inputs
  private readonly reporter: Reporter
  private readonly signed = Promise.withResolvers<SignedIn>()
  private readonly watching: Timer
  private viewport: Viewport
  /** why it ended */
  private over: SignInError | undefined

  /** The result of the sign-in. @throws {SignInError} why it did not succeed */
  readonly outcome: Promise<SignedIn> = this.signed.promise
  /** Resolves when the page and its context are gone. */
  readonly closed: Promise<void>

  constructor(private readonly parts: SignInPageParts) {
    const { page, session, ending, viewport } = parts
    const onFailure = (error: unknown) => this.troubled(error)
    this.viewport = viewport
    this.closed = parts.closed
    // The opener may await it later.
    this.outcome.catch(() => {})
    this.notices = new Notices((code, text) => this.tell({ type: 'notice', code, text }))
    const { notices } = this
    this.reporter = new Reporter({ ...parts, notices, tell: (event) => this.tell(event), onFailure })
    this.frames = new Frames(session, viewport, onFailure)
    this.inputs = new Inputs({
      session,
      fineness: () => finenessOf(this.viewport),
      act: (input) => this.act(input),
      onIdle: () => this.reporter.look(),
      onFailure,
    })
    refuseAll(parts, notices, onFailure)
    ending.signal.addEventListener('abort', () => this.end(ending.signal.reason))
    page.on('framenavigated', () => this.watch())
    page.on('response', () => this.watch())
    this.watching = setInterval(() => {
      this.watch()
      this.reporter.look()
    }, WATCH_MS)
  }

  /** Navigates to the sign-in page. Must be called once. */
  async begin(): Promise<void> {
    const { session } = this.parts
    await startWatch(session)
    await shapeScreen(session, this.viewport)
    this.open()
  }

  /**
   * Validates an input and sends it to the page.
   *
   * @param sent unvalidated input
   * @throws {SignInError} `bad-input`, `flooded`, or why the sign-in ended
   */
  send(sent: unknown): void {
    if (this.over) throw this.over
    this.inputs.add(checkInput(sent, this.viewport))
  }

  /** See {@link Frames.next}. @throws {SignInError} when the sign-in has ended */
  async frame(fresh: boolean): Promise<Frame> {
    if (this.over) throw this.over
    return this.frames.next(fresh)
  }

  /** Ends the sign-in, if it is not over. Resolves when the page and its context are gone. */
  close(): Promise<void> {
    this.end(new SignInError('closed'))
    return this.closed
  }

  /** Ends the sign-in for a reason, if it is not over. */
  end(reason: unknown): void {
    if (this.over) return
    const error = signInErrorOf(reason)
    // Has no effect after success: the outcome is already resolved.
    this.signed.reject(error)
    this.reporter.stop()
    this.over = error
    clearInterval(this.watching)
    this.inputs.stop()
    this.frames.stop(error)
    this.parts.ending.abort(error)
    this.parts.close()
  }

  /** The login's exit failed before anything came through it: the browser only says that the page could not be loaded. */
  exitFailed({ where, reason }: ExitFailure): void {
    this.notices.add('way-out')
    this.parts.onExitFailed?.({ where, reason })
  }

  private tell(event: SignInEvent): void {
    if (!this.over) this.parts.onEvent(event)
  }

  /** Handles a failed browser command. It is ignored when the page or document is gone; otherwise the sign-in ends. */
  private troubled(error: unknown): void {
    if (!isGone(error) && !isPassing(error)) this.end(error)
  }

  private open(): void {
    const { page, login, origin } = this.parts
    // Ignores errors: the page's requests report them in a notice, and the person can reload.
    page.goto(new URL(login.url, origin).href, { waitUntil: 'commit' }).catch(() => {})
  }

  private async act(input: Action): Promise<void> {
    if (input.type === 'resize') return this.resize(input)
    await this.reporter.unstick()
    const { session } = this.parts
    await whenActive(async () => {
      const { currentIndex, entries } = await session.send('Page.getNavigationHistory')
      const [previous, shown] = [entries[currentIndex - 1], entries[currentIndex]]
      // The first entry is the initial empty page of a context.
      if (input.type === 'back' && isWeb(previous))
        await session.send('Page.navigateToHistoryEntry', { entryId: previous.id })
      else if (input.type === 'reload' && isWeb(shown)) await session.send('Page.reload')
      else if (input.type === 'reload') this.open()
    })
  }

  private async resize({ width, height }: Pick<Viewport, 'width' | 'height'>): Promise<void> {
    const { page, session } = this.parts
    this.viewport = { ...this.viewport, width, height }
    await page.setViewportSize({ width, height })
    await shapeScreen(session, this.viewport)
    this.frames.resize(this.viewport)
  }

  /** Checks whether the person is signed in. */
  private readonly watch = onceMore(async () => {
    // When the page is too busy to return its state, the next check tries again.
    if (!this.over) await this.check().catch((error) => error instanceof Unavailable || this.troubled(error))
  })

  private async check(): Promise<void> {
    const { context, login, origin, page } = this.parts
    if (login.signedIn.url && !login.signedIn.url.test(page.url())) return
    const before = signedInUntil(login, origin, await context.cookies(), clock.now())
    if (before === undefined || this.over) return
    await this.reporter.settled(SETTLE_MS)
    const state = await stateOf(context)
    const until = signedInUntil(login, origin, JSON.parse(state).cookies, clock.now())
    // The site may have removed a marker while it loaded.
    if (until === undefined || this.over) return
    this.signed.resolve({ state, validUntil: until })
    this.end(new SignInError('closed'))
  }
}

const isWeb = (entry: { readonly url: string } | undefined): entry is { readonly url: string } =>
  /^https?:/.test(entry?.url ?? '')
