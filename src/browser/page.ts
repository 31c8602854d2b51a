/**
 * A page as a task drives it.
 *
 * @module
 */
import type {
  CDPSession,
  Frame,
  Page,
  Request as PageRequest,
  Response as PageResponse,
} from 'rebrowser-playwright'
import { inTime } from '../pause.ts'
import { SourceChanged, SourceError, TryAgain, Unavailable } from '../plugin/errors.ts'
import { isWanted, statusError } from '../plugin/status.ts'
import type { BrowserPage } from '../plugin.ts'
import { addressFault } from '../worker/door/hosts.ts'
import type { Witness } from '../worker/door/witness.ts'
import { Listener } from './answers.ts'
import { type Arrived, arrivedOf, isRedirect } from './arrived.ts'
import { isVisible, middleOf, sooner, typeInto } from './elements.ts'
import { failureOf, isTimeout } from './failure.ts'
import type { Fate } from './fate.ts'
import type { Site } from './requests.ts'
import { documentOf, evaluate, type World } from './script.ts'

export type DriverOptions = {
  readonly page: Page
  readonly session: CDPSession
  /** of the main frame */
  readonly world: World
  readonly site: Site
  readonly fate: Fate
  /** watches its exchanges, redirects included */
  readonly witness: Witness | undefined
  /** why it has just crashed */
  readonly crash: () => SourceError
  /** ends the page with its context; never rejects */
  readonly close: () => Promise<void>
}

type Limit = { readonly timeoutS?: number }
type GotoOptions = Parameters<BrowserPage['goto']>[1]
type Document = { readonly status: number; readonly url: string }
/** An address that is being opened, and what came of it so far. */
type Going = { readonly url: URL; document: Document | undefined; error: SourceError | undefined }

const TIMEOUT_S = 30
const WAIT_S = 15
/** The longest that a call without a limit of its own may take, in seconds. */
const ACT_S = 30
/** A page may move on while it is read; it is read anew so often. */
const READS = 5

export class Driver implements BrowserPage {
  private readonly listeners: Listener[] = []
  private going: Going | undefined
  private isEnding = false
  private readonly world: World
  private readonly over = Promise.withResolvers<void>()
  /** Resolves when the page and its context are gone. */
  readonly closed: Promise<void> = this.over.promise

  constructor(private readonly options: DriverOptions) {
    const { page } = options
    this.world = options.world
    page.on('crash', () => void this.end(options.crash()))
    page.on('close', () => void this.end(new TryAgain('the browser ended')))
    page.on('framenavigated', (frame) => this.moved(frame))
    page.on('response', (response) => this.responded(response))
    // A page that is gone has no more answers.
    page.on('requestfinished', (request) => void this.finished(request).catch(() => {}))
  }

  async goto(address: string, options: GotoOptions = {}): Promise<Document> {
    const { page, site, fate } = this.options
    const { query = {}, timeoutS = TIMEOUT_S, accept, until = 'load' } = options
    const url = new URL(address, site.origin)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
    const fault = addressFault(site, url)
    if (fault) throw new TypeError(`${site.name} may not open this: ${fault}`)
    fate.check()
    const going: Going = { url, document: undefined, error: undefined }
    this.going = going
    try {
      const opened = page.goto(url.href, { timeout: timeoutS * 1000, waitUntil: until })
      await fate.race(opened.catch((error) => this.failed(error, going, timeoutS)))
    } finally {
      if (this.going === going) this.going = undefined
    }
    const { status } = going.document ?? { status: 200 }
    if (!isWanted(status, accept)) throw statusError(status)
    const shown = page.url()
    const wall = shown === url.href ? undefined : wallOf(site, shown)
    if (wall) throw wall
    return { status, url: shown }
  }

  async url(): Promise<string> {
    this.options.fate.check()
    return this.options.page.url()
  }

  async html(): Promise<string> {
    const { session } = this.options
    for (let read = 1; ; read++) {
      try {
        return await this.act(() => documentOf(session))
      } catch (error) {
        if (!(error instanceof TryAgain) || this.isOver || read === READS) throw error
      }
    }
  }

  answers(url: RegExp): Listener {
    const listener = new Listener(url, this.options.fate)
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

  evaluate(expression: string): Promise<unknown> {
    return this.act(() => evaluate(this.options.session, expression))
  }

  close(): Promise<void> {
    return this.end(new Error('the page was closed'))
  }

  /** Whether no call of it can succeed any more. */
  get isOver(): boolean {
    return this.options.fate.isSealed
  }

  /** Closes it for a reason, which whatever waits for it is told. */
  end(reason: unknown): Promise<void> {
    const { fate, close } = this.options
    if (!this.isEnding) void close().then(this.over.resolve)
    this.isEnding = true
    fate.seal(reason)
    return this.closed
  }

  /**
   * Whether the page may move to an address: not to a wall or off the source's hosts. When `goto` leads there, it
   * throws why; else every call from then on does.
   */
  mayMove(url: URL, isRedirect: boolean): boolean {
    const { site } = this.options
    const isAsked = !isRedirect && this.going?.url.href === url.href
    const fault = addressFault(site, url)
    const error =
      (isAsked ? undefined : wallOf(site, url.href)) ?? (fault && new SourceError('source-redirected', fault))
    if (error) this.refuse(error)
    return !error
  }

  /** The next document can't be had. */
  refuse(error: SourceError): void {
    if (this.going) this.going.error ??= error
    else this.options.fate.seal(error)
  }

  private sooner(timeoutS: number, look: (page: Page) => Promise<boolean>): Promise<boolean> {
    return this.act(
      (page) =>
        sooner(
          timeoutS,
          () => this.isOver,
          () => look(page),
        ),
      timeoutS + ACT_S,
    )
  }

  /** Does something with the page, which an endless loop in its script must not hold up for ever. */
  private async act<T>(work: (page: Page) => Promise<T>, limitS = ACT_S): Promise<T> {
    const { page, fate } = this.options
    fate.check()
    const late = () => new Unavailable(`the page did nothing for ${limitS} s`)
    try {
      return await fate.race(inTime(limitS * 1000, work(page), late))
    } catch (error) {
      throw failureOf(error)
    }
  }

  private async failed(error: unknown, going: Going, timeoutS: number): Promise<undefined> {
    const { session, fate } = this.options
    if (going.error) throw going.error
    fate.check()
    if (isTimeout(error)) {
      // What is still on its way would change the page that the next call sees.
      void session.send('Page.stopLoading').catch(() => {})
      throw new Unavailable(`no answer within ${timeoutS} s`)
    }
    const { status } = going.document ?? {}
    // What has no body is shown as an error of the browser's own, or not at all.
    if (status !== undefined && (status >= 400 || status === 204 || status === 205)) return undefined
    if (status !== undefined && /net::ERR_ABORTED/.test(String(error)))
      throw new SourceChanged('a download in place of a page')
    throw failureOf(error)
  }

  /** Scripts may change the address without a request. */
  private moved(frame: Frame): void {
    const { page, site } = this.options
    if (frame !== page.mainFrame() || this.going) return
    const wall = wallOf(site, frame.url())
    if (wall) this.refuse(wall)
  }

  private responded(response: PageResponse): void {
    const request = response.request()
    if (!this.going || !request.isNavigationRequest() || isRedirect(response.status())) return
    if (request.frame() === this.options.page.mainFrame())
      this.going.document = { status: response.status(), url: response.url() }
  }

  private async finished(request: PageRequest): Promise<void> {
    const { witness } = this.options
    const listeners = this.listeners.filter(({ url }) => url.test(request.url()))
    if (!witness && listeners.length === 0) return
    const response = await request.response()
    if (!response) return
    const arrived = await arrivedOf(response)
    if (witness) tell(witness, request, arrived)
    if (isRedirect(arrived.status) || request.method() === 'OPTIONS') return
    for (const listener of listeners) listener.add(arrived)
  }
}

function tell(witness: Witness, request: PageRequest, { status, headers, body }: Arrived): void {
  const heard = witness({
    method: request.method(),
    url: request.url(),
    body: request.postDataBuffer() ?? undefined,
  })
  heard.answered(status, headers)
  if (body instanceof Uint8Array) heard.read(body)
  heard.over(Math.max(0, request.timing().responseEnd))
}

type Size = { readonly width: number; readonly height: number }

const WINDOW = '({ width: innerWidth, height: innerHeight })'

/** The end that an address of the source stands for, when it is one of its walls. */
function wallOf({ walls = [] }: Site, address: string): SourceError | undefined {
  const wall = walls.find((each) => each.url.test(address))
  if (!wall) return undefined
  const { host, pathname } = new URL(address)
  return new SourceError(wall.ends, `redirected to ${host}${pathname}`)
}
