/**
 * A page driven by a task.
 *
 * @module
 */
import type { Page, Request as PageRequest } from 'rebrowser-playwright'
import { unlessAborted } from '../../async/abort.ts'
import { clock } from '../../async/clock.ts'
import { delay, withTimeout } from '../../async/delay.ts'
import { retry } from '../../async/retry.ts'
import type { Observer } from '../../net/transport/observer.ts'
import { TryAgain, Unavailable } from '../../plugin/errors.ts'
import type { BrowserPage } from '../../plugin.ts'
import { failureOf } from '../failure.ts'
import { Listener } from './answers.ts'
import { type Arrived, arrivedOf, isRedirect } from './arrived.ts'
import type { OpenedPage } from './context.ts'
import { isVisible, middleOf, typeInto } from './elements.ts'
import { Navigation } from './navigation.ts'
import { hopsOf, refusedRedirect, unlessInterstitial } from './redirects.ts'
import type { Site } from './requests.ts'
import { documentOf, evaluate, World } from './script.ts'
import { stateOf } from './state.ts'

type Limit = { readonly timeoutS?: number }
const WAIT_S = 15
/** Time limit of a call that has no limit set, in seconds. */
const ACT_S = 30
/** The most listeners of a page: each may keep many responses. */
const MOST_LISTENERS = 100
/** Polling interval in milliseconds. */
const LOOK_MS = 50
/** How long reading is retried when the page navigates away during it, in milliseconds. */
const READ_MS = 2000

export class Driver implements BrowserPage {
  readonly navigation: Navigation
  /** of the main frame */
  private readonly world: World
  private readonly listeners: Listener[] = []
  /** Resolves when the page and its context are gone. */
  readonly closed: Promise<void>

  /** @param observer observes its exchanges, including redirects */
  constructor(
    private readonly opened: OpenedPage,
    private readonly site: Site,
    private readonly observer: Observer | undefined,
  ) {
    this.closed = opened.closed
    this.navigation = new Navigation(opened, site)
    this.world = new World(opened.session, opened.frameId)
    // Ignores errors: responses of a closed page can't be read.
    opened.page.on('requestfinished', (request) => void this.finished(request).catch(() => {}))
    opened.page.on('requestfailed', (request) => void this.failed(request).catch(() => {}))
  }

  async goto(address: string, options?: Parameters<BrowserPage['goto']>[1]): ReturnType<BrowserPage['goto']> {
    try {
      return await this.navigation.goto(address, options)
    } finally {
      this.world.forget()
    }
  }

  async url(): Promise<string> {
    this.opened.ending.signal.throwIfAborted()
    return this.opened.page.url()
  }

  async html(): Promise<string> {
    return retry(() => this.act(() => documentOf(this.opened.session)), {
      when: (error) => this.isPassing(error),
      firstMs: LOOK_MS,
      forMs: READ_MS,
    })
  }

  answers(url: RegExp): Listener {
    if (this.listeners.length === MOST_LISTENERS)
      throw new TypeError(
        `a page may call answers ${MOST_LISTENERS} times: read several responses from one call`,
      )
    const listener = new Listener(url, this.opened.ending)
    this.listeners.push(listener)
    return listener
  }

  wait(selector: string, { timeoutS = WAIT_S }: Limit = {}): Promise<boolean> {
    return this.sooner(timeoutS, () => isVisible(this.world, selector))
  }

  click(selector: string, { timeoutS = WAIT_S }: Limit = {}): Promise<boolean> {
    return this.sooner(timeoutS, async (page) => {
      const at = await middleOf(this.world, selector)
      if (at) await page.mouse.click(at.x, at.y)
      return at !== null
    })
  }

  fill(selector: string, text: string, { timeoutS = WAIT_S }: Limit = {}): Promise<boolean> {
    return this.sooner(timeoutS, (page) => typeInto(page, this.world, selector, text))
  }

  async press(key: string): Promise<void> {
    await this.act((page) => page.keyboard.press(key))
  }

  scroll({ selector, by }: { readonly selector?: string; readonly by?: number } = {}): Promise<boolean> {
    return this.act(async (page) => {
      const { width, height } = (await this.world.evaluate(WINDOW)) as Size
      const middle = { x: width / 2, y: height / 2 }
      const at = selector === undefined ? middle : await middleOf(this.world, selector)
      if (!at) return false
      await page.mouse.move(at.x, at.y)
      await page.mouse.wheel(0, by ?? height)
      return true
    })
  }

  async evaluate(expression: string): Promise<unknown> {
    // A function would be evaluated to itself, which JSON turns into null.
    if (typeof expression !== 'string')
      throw new TypeError('evaluate takes an expression as text, such as "document.title"')
    return this.act(() => evaluate(this.opened.session, expression))
  }

  /** See {@link stateOf}. It also works after a navigation to an interstitial. */
  state(): Promise<string> {
    return stateOf(this.opened.context)
  }

  close(): Promise<void> {
    return this.end(new Error('the page was closed'))
  }

  /** Whether no further call can succeed. */
  get isOver(): boolean {
    return this.opened.ending.signal.aborted
  }

  /** Closes the page. Pending calls fail with the reason. */
  end(reason: unknown): Promise<void> {
    this.opened.close()
    this.opened.ending.abort(reason)
    return this.closed
  }

  /** Whether the page has navigated away and can be read again. */
  private isPassing(error: unknown): boolean {
    return error instanceof TryAgain && !this.isOver
  }

  /** Polls until `look` succeeds or the time is up. A navigation during `look` counts as not found. */
  private sooner(timeoutS: number, look: (page: Page) => Promise<boolean>): Promise<boolean> {
    const until = clock.monotonic() + timeoutS * 1000
    return this.act(async (page) => {
      for (;;) {
        const isFound = await look(page).catch((error) => {
          if (this.isPassing(error)) return false
          throw error
        })
        if (isFound || clock.monotonic() >= until || this.isOver) return isFound
        await delay(LOOK_MS)
      }
    }, timeoutS + ACT_S)
  }

  /** Does work on the page within a time limit, since an endless loop in the page's script would block it forever. */
  private async act<T>(work: (page: Page) => Promise<T>, limitS = ACT_S): Promise<T> {
    const { page, ending } = this.opened
    ending.signal.throwIfAborted()
    const late = () => new Unavailable(`the page did not respond within ${limitS} s`)
    try {
      return await unlessAborted(ending.signal, withTimeout(limitS * 1000, work(page), late))
    } catch (error) {
      throw failureOf(error)
    }
  }

  private async finished(request: PageRequest): Promise<void> {
    const { observer } = this
    const hops = hopsOf(request)
    const listeners = this.listenersFor(hops)
    if (!observer && listeners.length === 0) return
    const response = await request.response()
    if (!response) return
    const arrived = await arrivedOf(response)
    if (observer) tell(observer, request, arrived)
    if (isRedirect(arrived.status) || request.method() === 'OPTIONS') return
    const answer = unlessInterstitial(arrived, hops, this.site)
    for (const listener of listeners) listener.add(answer)
  }

  private async failed(request: PageRequest): Promise<void> {
    const hops = hopsOf(request)
    const listeners = this.listenersFor(hops)
    if (listeners.length === 0) return
    const refused = await refusedRedirect(hops, this.site)
    if (refused) for (const listener of listeners) listener.add(refused)
  }

  /** The listeners that wait for a request or for one that was redirected to it. */
  private listenersFor(hops: readonly PageRequest[]): Listener[] {
    return this.listeners.filter(({ url }) => hops.some((hop) => url.test(hop.url())))
  }
}

function tell(observer: Observer, request: PageRequest, { status, headers, body }: Arrived): void {
  const exchange = observer({
    method: request.method(),
    url: request.url(),
    body: request.postDataBuffer() ?? undefined,
  })
  exchange.answered(status, headers)
  if (body instanceof Uint8Array) exchange.read(body)
  exchange.ended(Math.max(0, request.timing().responseEnd))
}

type Size = { readonly width: number; readonly height: number }

const WINDOW = '({ width: innerWidth, height: innerHeight })'
