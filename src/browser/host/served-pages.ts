/**
 * The pages of one run, for a run in another process: one at a time, each in a context of its own, closed with it. Those
 * of a signed-in run begin with its state; a further one with what the one before it has left there.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { withTimeout } from '../../async/delay.ts'
import type { Observer } from '../../net/transport/observer.ts'
import { Unavailable } from '../../plugin/errors.ts'
import type { Browsers } from '../browsers.ts'
import type { Listener } from '../page/answers.ts'
import type { Driver } from '../page/page.ts'
import type { Site } from '../page/requests.ts'
import { changesBetween, changesOfCookies, type StateChange, withChanges } from '../page/state-changes.ts'
import { answerTo, type PageAnswer, type PageCall, PLAIN, toJson } from './page-calls.ts'

export type ServedOptions = {
  readonly observer?: Observer
  /** a signed-in state, as Playwright saves it, in JSON */
  readonly state?: string | undefined
  /** told why it is not known what a page has left in the state */
  readonly onLost?: (error: unknown) => void
}

type Opened = {
  /** of the caller */
  readonly id: number
  readonly abort: AbortController
  readonly driver: Promise<Driver>
  readonly listeners: Map<number, Listener>
  /** once it is open */
  page?: Driver
}

/** How long a page's state may take to be read, in milliseconds: a run's end waits for it. */
const READ_MS = 3000

export class ServedPages {
  private opened: Opened | undefined
  /** what a page begins with, and what of that the pages themselves have not changed */
  private state: string | undefined
  private given: string | undefined
  private reading: Promise<void> = Promise.resolve()
  private closing: Promise<void> = Promise.resolve()

  constructor(
    private readonly browsers: Browsers,
    private readonly site: Site,
    private readonly options: ServedOptions = {},
  ) {
    this.state = options.state
    this.given = options.state
  }

  /**
   * Does what is asked. Never throws.
   *
   * @param id of the page; a further one closes the one before
   */
  answer(id: number, call: PageCall): Promise<PageAnswer> {
    return answerTo(() => this.perform(id, call))
  }

  /** Closes the page. Never rejects. */
  close(): Promise<void> {
    const { opened } = this
    this.opened = undefined
    if (opened) this.closing = this.end(opened, this.closing)
    return this.closing
  }

  /** The run is over: its page closes, and its state is forgotten. @returns what its pages changed in that */
  async leave(): Promise<StateChange[]> {
    void this.close()
    await this.reading
    const { given, state } = this
    this.given = undefined
    this.state = undefined
    return given !== undefined && state !== undefined ? changesBetween(given, state, clock.now()) : []
  }

  private async end(opened: Opened, before: Promise<void>): Promise<void> {
    this.reading = this.read(opened)
    await this.reading
    opened.abort.abort(new Error('the page was closed'))
    // One that never opened needs no closing.
    const driver = await opened.driver.catch(() => undefined)
    await driver?.close()
    await before
  }

  private async read({ page }: Opened): Promise<void> {
    if (this.state === undefined || !page) return
    const late = () => new Unavailable('the state of a page could not be read in time')
    try {
      this.state = await withTimeout(READ_MS, page.state(), late)
    } catch (error) {
      // What it began with is still good: the source has the last word on that.
      this.options.onLost?.(error)
    }
  }

  private async perform(id: number, call: PageCall): Promise<unknown> {
    if (call.method === 'open') return this.open(id, call)
    const { opened } = this
    if (opened?.id !== id) throw new Error('the page was closed')
    const driver = await opened.driver
    switch (call.method) {
      case 'listen':
        opened.listeners.set(call.listener, driver.answers(new RegExp(call.source, call.flags)))
        return null
      case 'next': {
        const arrived = await opened.listeners.get(call.listener)?.take(call.timeoutS ?? undefined)
        return arrived ? toJson(arrived) : null
      }
      case 'close':
        return this.close()
      default: {
        if (!PLAIN.has(call.method)) throw new TypeError(`a page does not ${call.method}`)
        const act = driver[call.method] as (...args: unknown[]) => Promise<unknown>
        // JSON has null for what is not given.
        return act.apply(
          driver,
          call.args.map((arg) => arg ?? undefined),
        )
      }
    }
  }

  private async open(id: number, call: PageCall & { readonly method: 'open' }): Promise<null> {
    const closing = this.close()
    const abort = new AbortController()
    const { load = [] } = call.options
    const driver = closing.then(() => {
      this.take(call)
      const { site, state } = this
      const storageState = state === undefined ? undefined : JSON.parse(state)
      return this.browsers.open({
        site,
        load,
        storageState,
        observer: this.options.observer,
        signal: abort.signal,
      })
    })
    const opened: Opened = { id, abort, driver, listeners: new Map() }
    this.opened = opened
    opened.page = await driver
    return null
  }

  /** Cookies that others have brought are none that pages changed. */
  private take({ cookies = [] }: PageCall & { readonly method: 'open' }): void {
    const changes = changesOfCookies(cookies, clock.now())
    if (this.state !== undefined) this.state = withChanges(this.state, changes)
    if (this.given !== undefined) this.given = withChanges(this.given, changes)
  }
}
