/**
 * The browser of this process: one Chromium at a time, started when a page is first needed and replaced when it is
 * worn, with a limit on concurrent pages.
 *
 * @module
 */
import pLimit, { type LimitFunction } from 'p-limit'
import type { Browser } from 'rebrowser-playwright'
import { withTimeout } from '../../async/delay.ts'
import { BrowserProxy, type BrowserProxyOptions } from '../../net/connection/browser-proxy.ts'
import type { ExitUrl } from '../../net/exits/choose.ts'
import { type ExitFailed, ExitUnreachable } from '../../net/transport/transport.ts'
import { bytesInto, noUsage } from '../../net/transport/usage.ts'
import { SourceError } from '../../plugin/errors.ts'
import { hostMatches } from '../../plugin/reading/urls.ts'
import { SignInError, signInErrorOf } from '../../signin/browser/errors.ts'
import { openSignInPage, type SignInTarget, siteOf } from '../../signin/browser/open.ts'
import type { SignInPage } from '../../signin/browser/page.ts'
import { Chromium, WEAR, type Wear } from '../chromium/chromium.ts'
import { BrowserFailed, failureOf, NoBrowser, NotStarted } from '../failure.ts'
import type { Responder, Surroundings } from '../page/context.ts'
import { type OpenOptions, openPage } from '../page/open.ts'
import { answersFrom } from '../page/origin.ts'
import type { Driver } from '../page/page.ts'

export type BrowsersOptions = {
  /** finds Chromium before each start, e.g. `findChromium`; undefined when none is installed */
  readonly executable: (signal: AbortSignal) => string | undefined | Promise<string | undefined>
  /** replaced origins, keyed by source */
  readonly origins: Readonly<Record<string, string>>
  /** concurrent pages; further pages wait */
  readonly most: number
  readonly wear?: Wear
  /** for tests: replaces connections to checked addresses */
  readonly dial?: BrowserProxyOptions['dial']
  /** for tests: trusted certificates in place of the default ones, as PEM */
  readonly ca?: string
  /** called with errors of the browser, e.g. why it did not start */
  readonly onFailure: (error: unknown) => void
}

/** The way to the source. */
type Through = {
  /** undefined, or null: direct */
  readonly exit?: ExitUrl | null | undefined
}

export type PageFor = Omit<OpenOptions, 'proxy' | 'crash'> &
  Through & {
    /** aborts when the page is no longer wanted */
    readonly signal?: AbortSignal
  }

/** `answer`: for tests, answers all requests; `usage`: counts what is sent and received */
type Destination = Pick<OpenOptions, 'site' | 'answer' | 'usage'> & Through

/** A page of a run or of a sign-in. */
type Closable = { readonly closed: Promise<void>; end(reason: unknown): unknown }

/** How long a browser may take to open a page, in milliseconds. */
const OPEN_MS = 30_000

export class Browsers {
  private running: Chromium | undefined
  private starting: Promise<Chromium> | undefined
  private readonly slots: LimitFunction
  private readonly all = new Set<Chromium>()
  private readonly stopping = new AbortController()

  constructor(private readonly options: BrowsersOptions) {
    this.slots = pLimit(options.most)
  }

  /**
   * Opens a page in a separate context, as soon as a slot is free.
   *
   * @throws {NoBrowser}
   * @throws {BrowserFailed} when the browser does not start, or ends before the page is open
   * @throws the signal's reason
   */
  open(target: PageFor): Promise<Driver> {
    const { signal } = target
    const { promise, resolve, reject } = Promise.withResolvers<Driver>()
    const lived = this.slots(async () => {
      signal?.throwIfAborted()
      const page = await this.entered(
        target,
        (browser, around) => openPage(browser, { ...target, ...around }),
        (opened, failure) => void opened.end(new ExitUnreachable(failure)),
      )
      signal?.addEventListener('abort', () => void page.end(signal.reason), { once: true })
      if (signal?.aborted) void page.end(signal.reason)
      resolve(page)
      await page.closed
    })
    lived.catch(reject)
    return promise
  }

  /**
   * Opens a page in which a person signs in. It takes no page slot, so it neither waits for runs' pages nor delays
   * them. The caller must limit the number of sign-ins.
   *
   * @throws {SignInError} `no-browser`, `browser-ended`
   */
  async signIn(wanted: SignInTarget): Promise<SignInPage> {
    const site = siteOf(wanted)
    const usage = noUsage()
    try {
      const signIn = await this.entered(
        { site, exit: wanted.exit, usage },
        (browser, around) => openSignInPage(browser, { ...wanted, site, usage, ...around }),
        (opened, failure) => opened.exitFailed(failure),
      )
      void signIn.closed.then(() => wanted.onUsed?.(usage))
      // The opener learns only that something went wrong; the cause goes to the log.
      signIn.outcome.catch(({ cause }) => cause && this.options.onFailure(cause))
      return signIn
    } catch (error) {
      const isMissing = error instanceof NoBrowser || error instanceof NotStarted
      throw isMissing ? new SignInError('no-browser') : signInErrorOf(error)
    }
  }

  /** Closes the browser and all its pages. */
  async stop(): Promise<void> {
    this.stopping.abort()
    // A browser that failed to start needs no closing.
    await this.starting?.catch(() => {})
    await Promise.all([...this.all].map((chromium) => chromium.close()))
  }

  /**
   * Opens a page of a site, with access to the source: through a dedicated proxy, or by responses of a replaced origin.
   * The browser counts as in use until the page is closed.
   *
   * @param onExitFailed called when the exit fails before the page received anything
   */
  private async entered<T extends Closable>(
    wanted: Destination,
    open: (browser: Browser, around: Surroundings) => Promise<T>,
    onExitFailed: (opened: T, error: ExitFailed) => void = () => {},
  ): Promise<T> {
    const chromium = await this.chromium()
    chromium.enter()
    let proxy: BrowserProxy | undefined
    const left = () => {
      proxy?.close()
      chromium.leave()
    }
    let opened: T | undefined
    const tooMuch = new SourceError('response-too-large', 'the page loaded more data than allowed')
    const late = new Error('the browser did not open a page in time')
    try {
      const answer = this.answerFor(wanted)
      if (!answer)
        proxy = await this.proxyFor(wanted, {
          onTooMuch: () => opened?.end(tooMuch),
          onExitFailed: (error) => opened && onExitFailed(opened, error),
        })
      const around = {
        answer,
        proxy: proxy?.url,
        isExitSilent: () => proxy?.isExitSilent === true,
        crash: () => chromium.crash(),
      }
      opened = await withTimeout(OPEN_MS, open(chromium.browser, around), () => late)
      void opened.closed.then(left)
      return opened
    } catch (error) {
      left()
      this.options.onFailure(error)
      if (error !== late && chromium.browser.isConnected()) throw failureOf(error)
      // Closing the browser also ends a page that still opens late.
      void chromium.close()
      throw new BrowserFailed('the browser ended')
    }
  }

  private answerFor({ site, answer, usage }: Destination): Responder | undefined {
    const replaced = this.options.origins[site.name]
    return answer ?? (replaced === undefined ? undefined : answersFrom(replaced, usage))
  }

  private proxyFor(
    { site, exit, usage }: Destination,
    events: Pick<BrowserProxyOptions, 'onTooMuch' | 'onExitFailed'>,
  ): Promise<BrowserProxy> {
    const { dial, ca } = this.options
    const { origin, hosts = [], assetHosts = [] } = site
    const allowed = [new URL(origin).hostname, ...hosts, ...assetHosts]
    return BrowserProxy.start({
      ...events,
      allows: (host) => hostMatches(host, allowed),
      proxyUrl: exit?.url ?? null,
      dial,
      ...(ca !== undefined && { ca }),
      onBytes: bytesInto(usage),
    })
  }

  private chromium(): Promise<Chromium> {
    if (this.stopping.signal.aborted) throw new BrowserFailed('the browser is shutting down')
    if (this.running?.isWorn) {
      this.running.retire()
      this.running = undefined
      this.starting = undefined
    }
    this.starting ??= this.launched().catch((error) => {
      this.starting = undefined
      throw error
    })
    return this.starting
  }

  private async launched(): Promise<Chromium> {
    const { signal } = this.stopping
    const { wear = WEAR } = this.options
    const executable = await this.options.executable(signal)
    if (signal.aborted) throw new BrowserFailed('the browser is shutting down')
    if (executable === undefined) throw new NoBrowser()
    try {
      const chromium = await Chromium.start(executable, wear)
      this.all.add(chromium)
      chromium.browser.once('disconnected', () => this.all.delete(chromium))
      this.running = chromium
      return chromium
    } catch (error) {
      this.options.onFailure(error)
      throw new NotStarted()
    }
  }
}
