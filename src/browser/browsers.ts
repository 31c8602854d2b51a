/**
 * The browser of this process: one Chromium at a time, started when a page is first needed, replaced when it is worn,
 * with a limit on pages at once.
 *
 * @module
 */
import pLimit, { type LimitFunction } from 'p-limit'
import type { BrowserContextOptions } from 'rebrowser-playwright'
import { withTimeout } from '../async/delay.ts'
import { type Guard, type GuardOptions, startGuard } from '../net/connection/guard.ts'
import type { Observer } from '../net/transport/observer.ts'
import { Origins } from '../net/transport/origins.ts'
import { SourceError } from '../plugin/errors.ts'
import { hostMatches } from '../plugin/reading/urls.ts'
import type { PageOptions } from '../plugin.ts'
import { Chromium, WEAR, type Wear } from './chromium/chromium.ts'
import { BrowserFailed, failureOf, NoBrowser, NotStarted } from './failure.ts'
import { openPage } from './page/open.ts'
import { answersFrom } from './page/origin.ts'
import type { Driver } from './page/page.ts'
import type { Answer, Site } from './page/requests.ts'
import { checkViewport } from './signin/check.ts'
import { SignInError, signInErrorOf } from './signin/errors.ts'
import { openSignIn, type SignInOptions, siteOf } from './signin/open.ts'
import type { SignIn } from './signin/signin.ts'
import { MOST_SIGN_INS } from './signin/types.ts'

export type BrowsersOptions = {
  /** finds Chromium whenever one is started, e.g. by `findChromium`; undefined when there is none */
  readonly executable: (signal: AbortSignal) => string | undefined | Promise<string | undefined>
  /** by source: where its requests go instead */
  readonly origins: Readonly<Record<string, string>>
  readonly proxyUrl: string | null
  /** pages at once; further ones wait */
  readonly most: number
  readonly wear?: Wear
  /** for tests: in place of connections to checked addresses */
  readonly dial?: NonNullable<GuardOptions['dial']>
  /** told why a browser could not be started */
  readonly onFailure: (error: unknown) => void
}

export type PageFor = PageOptions & {
  readonly site: Site
  /** a signed-in state, as Playwright saves it */
  readonly storageState?: BrowserContextOptions['storageState'] | undefined
  /** the page is no longer wanted */
  readonly signal?: AbortSignal
  readonly observer?: Observer | undefined
}

export type SignInFor = Pick<SignInOptions, 'site' | 'login' | 'viewport' | 'onEvent'>

/** How long a browser may take to open a page, in milliseconds. */
const OPEN_MS = 30_000

export class Browsers {
  private running: Chromium | undefined
  private starting: Promise<Chromium> | undefined
  private readonly slots: LimitFunction
  private readonly pages = new Set<Driver>()
  private readonly signIns = new Set<SignIn>()
  private signInsOpening = 0
  private readonly stopping = new AbortController()

  constructor(private readonly options: BrowsersOptions) {
    this.slots = pLimit(options.most)
  }

  /** Pages that are open. */
  get count(): number {
    return this.pages.size
  }

  /**
   * Opens a page in a context of its own, when there is room.
   *
   * @throws {NoBrowser}
   * @throws {BrowserFailed} when it does not start, or ended meanwhile
   * @throws the signal's reason
   */
  open(wanted: PageFor): Promise<Driver> {
    const { promise, resolve, reject } = Promise.withResolvers<Driver>()
    const lived = this.slots(async () => {
      const page = await this.start(wanted)
      this.pages.add(page)
      resolve(page)
      await page.closed
      this.pages.delete(page)
    })
    lived.catch(reject)
    return promise
  }

  /**
   * Opens a page in which a person signs in. It waits for no page of a run, nor those for it.
   *
   * @throws {SignInError} `busy`, `no-browser`, `browser-ended`, `bad-input` when the viewport is none
   */
  async signIn(wanted: SignInFor): Promise<SignIn> {
    const viewport = checkViewport(wanted.viewport)
    if (this.signIns.size + this.signInsOpening >= MOST_SIGN_INS) throw new SignInError('busy')
    this.signInsOpening++
    try {
      const signIn = await this.entered((chromium) => this.signInOpened(chromium, { ...wanted, viewport }))
      this.signIns.add(signIn)
      void signIn.closed.then(() => this.signIns.delete(signIn))
      // Whoever opened it is told that something went wrong, and not what.
      signIn.outcome.catch(({ cause }) => cause && this.options.onFailure(cause))
      return signIn
    } catch (error) {
      const isMissing = error instanceof NoBrowser || error instanceof NotStarted
      throw isMissing ? new SignInError('no-browser') : signInErrorOf(error)
    } finally {
      this.signInsOpening--
    }
  }

  /** Ends all pages and the browser. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all([...this.pages].map((page) => page.end(new BrowserFailed('the browser ends'))))
    for (const signIn of this.signIns) signIn.fail(new SignInError('browser-ended'))
    await Promise.all([...this.signIns].map((signIn) => signIn.closed))
    const chromium = await this.starting?.catch(() => undefined)
    await chromium?.close()
  }

  private async start(wanted: PageFor): Promise<Driver> {
    const { signal } = wanted
    signal?.throwIfAborted()
    const page = await this.entered((chromium) => this.opened(chromium, wanted))
    signal?.addEventListener('abort', () => void page.end(signal.reason), { once: true })
    if (signal?.aborted) void page.end(signal.reason)
    return page
  }

  /** Opens something in the browser, which is in use until that is closed. */
  private async entered<T extends { readonly closed: Promise<void> }>(
    open: (chromium: Chromium) => Promise<T>,
  ): Promise<T> {
    const chromium = await this.chromium()
    chromium.enter()
    const late = new Error('the browser opens no page in time')
    try {
      const opened = await withTimeout(OPEN_MS, open(chromium), () => late)
      void opened.closed.then(() => chromium.leave())
      return opened
    } catch (error) {
      chromium.leave()
      this.options.onFailure(error)
      if (error !== late && chromium.browser.isConnected()) throw failureOf(error)
      // What it may open all the same ends with it.
      void chromium.close()
      throw new BrowserFailed('the browser ended')
    }
  }

  private opened(chromium: Chromium, wanted: PageFor): Promise<Driver> {
    let page: Driver | undefined
    const end = (error: SourceError) => page?.end(error)
    return this.withWayOut(wanted.site, end, async (way) => {
      page = await openPage(chromium.browser, { ...wanted, crash: () => chromium.crash(), ...way })
      return page
    })
  }

  private signInOpened(chromium: Chromium, { site, login, viewport, onEvent }: SignInFor): Promise<SignIn> {
    const whole = siteOf(site, login)
    let signIn: SignIn | undefined
    const end = (error: SourceError) => signIn?.fail(signInErrorOf(error))
    return this.withWayOut(whole, end, async (way) => {
      const crash = () => chromium.crash()
      signIn = await openSignIn(chromium.browser, { site: whole, login, viewport, onEvent, crash, ...way })
      return signIn
    })
  }

  /** Gives what is opened a way to its source: a guard of its own, or answers of a replaced origin. */
  private async withWayOut<T extends { readonly closed: Promise<void> }>(
    site: Site,
    end: (error: SourceError) => void,
    open: (way: { readonly proxy: string } | { readonly answer: Answer }) => Promise<T>,
  ): Promise<T> {
    const replaced = this.options.origins[site.name]
    if (replaced !== undefined) return open({ answer: answersFrom(new Origins(replaced)) })
    const tooMuch = () =>
      end(new SourceError('response-too-large', 'the page loaded more than it may in all'))
    const guard = await this.guardOf(site, tooMuch)
    try {
      const opened = await open({ proxy: guard.url })
      void opened.closed.then(() => guard.close())
      return opened
    } catch (error) {
      guard.close()
      throw error
    }
  }

  private guardOf(site: Site, onTooMuch: () => void): Promise<Guard> {
    const { proxyUrl, dial } = this.options
    const hosts = [new URL(site.origin).hostname, ...(site.hosts ?? []), ...(site.assetHosts ?? [])]
    const allows = (host: string) => hostMatches(host, hosts)
    return startGuard({ allows, proxyUrl, onTooMuch, ...(dial ? { dial } : {}) })
  }

  private chromium(): Promise<Chromium> {
    const { wear = WEAR } = this.options
    if (this.stopping.signal.aborted) throw new BrowserFailed('the browser ends')
    if (this.running?.isWorn) {
      this.running.retire()
      this.running = undefined
      this.starting = undefined
    }
    this.starting ??= this.launched(wear)
    return this.starting
  }

  private async launched(wear: Wear): Promise<Chromium> {
    const { signal } = this.stopping
    const executable = await this.options.executable(signal)
    if (signal.aborted || executable === undefined) this.starting = undefined
    if (signal.aborted) throw new BrowserFailed('the browser ends')
    if (executable === undefined) throw new NoBrowser()
    try {
      this.running = await Chromium.start(executable, wear)
      return this.running
    } catch (error) {
      this.starting = undefined
      this.options.onFailure(error)
      throw new NotStarted()
    }
  }
}
