/**
 * The browser of this process: one Chromium at a time, started when a page is first needed, replaced when it is worn,
 * with a limit on pages at once.
 *
 * @module
 */
import type { BrowserContextOptions } from 'rebrowser-playwright'
import { Gate } from '../gate.ts'
import { inTime } from '../pause.ts'
import { SourceError, TryAgain, Unavailable } from '../plugin/errors.ts'
import { Origins } from '../plugin/reach.ts'
import { hostMatches } from '../plugin/urls.ts'
import type { PageOptions } from '../plugin.ts'
import type { Witness } from '../worker/door/witness.ts'
import { Chromium, WEAR, type Wear } from './chromium.ts'
import { failureOf } from './failure.ts'
import { type Guard, type GuardOptions, startGuard } from './guard.ts'
import { openPage } from './open.ts'
import { answersFrom } from './origin.ts'
import type { Driver } from './page.ts'
import type { Site } from './requests.ts'

export type BrowsersOptions = {
  /** from `findChromium`; undefined when there is none */
  readonly executable: string | undefined
  /** by source: where its requests go instead */
  readonly origins: Readonly<Record<string, string>>
  readonly proxyUrl: string | null
  /** pages at once; further ones wait */
  readonly most: number
  readonly wear?: Wear
  readonly targets?: GuardOptions['targets']
  /** told why a browser could not be started */
  readonly onFailure: (error: unknown) => void
}

export type PageFor = PageOptions & {
  readonly site: Site
  /** a signed-in state, as Playwright saves it */
  readonly storageState?: BrowserContextOptions['storageState']
  /** the page is no longer wanted */
  readonly signal?: AbortSignal
  readonly witness?: Witness
}

/** How long a browser may take to open a page, in milliseconds. */
const OPEN_MS = 30_000

export class Browsers {
  private running: Chromium | undefined
  private starting: Promise<Chromium> | undefined
  private readonly gate: Gate
  private readonly pages = new Set<Driver>()
  private isStopped = false

  constructor(private readonly options: BrowsersOptions) {
    this.gate = new Gate(() => options.most)
  }

  /** Pages that are open. */
  get count(): number {
    return this.pages.size
  }

  /**
   * Opens a page in a context of its own, when there is room.
   *
   * @throws {Unavailable} when this machine has no browser, or it does not start
   * @throws {TryAgain} when the browser ended meanwhile
   * @throws the signal's reason
   */
  open(wanted: PageFor): Promise<Driver> {
    const { promise, resolve, reject } = Promise.withResolvers<Driver>()
    const lived = this.gate.pass(async () => {
      const page = await this.start(wanted)
      this.pages.add(page)
      resolve(page)
      await page.closed
      this.pages.delete(page)
    })
    lived.catch(reject)
    return promise
  }

  /** Ends all pages and the browser. */
  async stop(): Promise<void> {
    this.isStopped = true
    await Promise.all([...this.pages].map((page) => page.end(new TryAgain('the browser ends'))))
    const chromium = await this.starting?.catch(() => undefined)
    await chromium?.close()
  }

  private async start(wanted: PageFor): Promise<Driver> {
    const { signal } = wanted
    signal?.throwIfAborted()
    const chromium = await this.chromium()
    chromium.enter()
    const late = new Error('the browser opens no page in time')
    try {
      const page = await inTime(OPEN_MS, this.opened(chromium, wanted), () => late)
      void page.closed.then(() => chromium.leave())
      signal?.addEventListener('abort', () => void page.end(signal.reason), { once: true })
      if (signal?.aborted) void page.end(signal.reason)
      return page
    } catch (error) {
      chromium.leave()
      this.options.onFailure(error)
      if (error !== late && chromium.browser.isConnected()) throw failureOf(error)
      // What it may open all the same ends with it.
      void chromium.close()
      throw new TryAgain('the browser ended')
    }
  }

  private async opened(chromium: Chromium, wanted: PageFor): Promise<Driver> {
    const { origins } = this.options
    const { site, load, storageState, witness } = wanted
    const replaced = origins[site.name]
    let page: Driver | undefined
    const tooMuch = () =>
      page?.end(new SourceError('response-too-large', 'the page loaded more than it may in all'))
    const guard = replaced === undefined ? await this.guardOf(site, () => void tooMuch()) : undefined
    try {
      page = await openPage(chromium.browser, {
        site,
        crash: () => chromium.crash(),
        ...(load ? { load } : {}),
        ...(storageState ? { storageState } : {}),
        ...(witness ? { witness } : {}),
        ...(guard ? { proxy: guard.url } : {}),
        ...(replaced === undefined ? {} : { answer: answersFrom(new Origins(replaced)) }),
      })
      void page.closed.then(() => guard?.close())
      return page
    } catch (error) {
      guard?.close()
      throw error
    }
  }

  private guardOf(site: Site, onTooMuch: () => void): Promise<Guard> {
    const { proxyUrl, targets } = this.options
    const hosts = [new URL(site.origin).hostname, ...(site.hosts ?? []), ...(site.assetHosts ?? [])]
    const allows = (host: string) => hostMatches(host, hosts)
    return startGuard({ allows, proxyUrl, onTooMuch, ...(targets ? { targets } : {}) })
  }

  private chromium(): Promise<Chromium> {
    const { executable, wear = WEAR } = this.options
    if (executable === undefined) throw new Unavailable('no browser is installed here')
    if (this.isStopped) throw new TryAgain('the browser ends')
    if (this.running?.isWorn) {
      this.running.retire()
      this.running = undefined
      this.starting = undefined
    }
    this.starting ??= this.launched(executable, wear)
    return this.starting
  }

  private async launched(executable: string, wear: Wear): Promise<Chromium> {
    try {
      this.running = await Chromium.start(executable, wear)
      return this.running
    } catch (error) {
      this.starting = undefined
      this.options.onFailure(error)
      throw new Unavailable('the browser does not start')
    }
  }
}
