/**
 * The pages of one run in another process. Only one page is open at a time, each in a separate context that is closed
 * with it. In a signed-in run the first page starts with the run's state, and each further page with the state that the
 * page before it left.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { withTimeout } from '../../async/delay.ts'
import type { ExitUrl } from '../../net/exits/choose.ts'
import type { Observer } from '../../net/transport/observer.ts'
import { noUsage, type Usage } from '../../net/transport/usage.ts'
import { Unavailable } from '../../plugin/errors.ts'
import type { Listener } from '../page/answers.ts'
import type { Driver } from '../page/page.ts'
import type { Site } from '../page/requests.ts'
import { changesBetween, changesOfCookies, type StateChange, withChanges } from '../page/state-changes.ts'
import type { Browsers } from './browsers.ts'
import { answerTo, type PageAnswer, type PageCall, PLAIN, toJson } from './page-calls.ts'

export type ServedOptions = {
  readonly observer?: Observer
  /** a signed-in state in Playwright's format, as JSON text */
  readonly state?: string | undefined
  /** undefined, or null: direct */
  readonly exit?: ExitUrl | null
  /** called with the reason when the state that a page left could not be read */
  readonly onLost?: (error: unknown) => void
}

/** What the pages of a run leave behind. */
export type PagesEnd = {
  /** made to its signed-in state */
  readonly changes: readonly StateChange[]
  readonly usage: Readonly<Usage>
}

type Opened = {
  /** chosen by the caller */
  readonly id: number
  readonly abort: AbortController
  readonly driver: Promise<Driver>
  readonly listeners: Map<number, Listener>
  /** set once it is open */
  page?: Driver
}

/** Time limit for reading a page's state, in milliseconds. A run's end waits for it. */
const READ_MS = 3000

export class ServedPages {
  private opened: Opened | undefined
  /** the state that the next page starts with */
  private state: string | undefined
  /** made by pages */
  private readonly changes: StateChange[] = []
  /** of all its pages so far */
  private readonly usage = noUsage()
  private reading: Promise<void> = Promise.resolve()
  private closing: Promise<void> = Promise.resolve()

  constructor(
    private readonly browsers: Browsers,
    private readonly site: Site,
    private readonly options: ServedOptions = {},
  ) {
    this.state = options.state
  }

  /**
   * Performs a call. Never rejects.
   *
   * @param id the page's id; opening a further page closes the current one
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

  /** Ends the run: closes its page and drops its state. */
  async leave(): Promise<PagesEnd> {
    void this.close()
    await this.reading
    this.state = undefined
    return { changes: this.changes, usage: this.usage }
  }

  private async end(opened: Opened, before: Promise<void>): Promise<void> {
    this.reading = this.read(opened)
    await this.reading
    opened.abort.abort(new Error('the page was closed'))
    // A page that never opened needs no closing.
    const driver = await opened.driver.catch(() => undefined)
    await driver?.close()
    await before
  }

  private async read({ page }: Opened): Promise<void> {
    if (this.state === undefined || !page) return
    const late = () => new Unavailable('the state of a page could not be read in time')
    try {
      const left = await withTimeout(READ_MS, page.state(), late)
      this.changes.push(...changesBetween(this.state, left, clock.now()))
      this.state = left
    } catch (error) {
      // The previous state is kept. The source decides whether it is still valid.
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
        if (!PLAIN.has(call.method)) throw new TypeError(`a page has no method ${call.method}`)
        const act = driver[call.method] as (...args: unknown[]) => Promise<unknown>
        // In JSON, omitted arguments are null.
        return act.apply(
          driver,
          call.args.map((arg) => arg ?? undefined),
        )
      }
    }
  }

  private async open(
    id: number,
    { options: { load }, cookies = [] }: PageCall & { readonly method: 'open' },
  ): Promise<null> {
    const closing = this.close()
    const abort = new AbortController()
    const { signal } = abort
    const driver = closing.then(() => {
      // The caller's cookies don't count as changes made by pages.
      this.state &&= withChanges(this.state, changesOfCookies(cookies, clock.now()))
      const { site, state, options, usage } = this
      const storageState = state && JSON.parse(state)
      const { observer, exit } = options
      return this.browsers.open({ site, load, storageState, observer, exit, usage, signal })
    })
    const opened: Opened = { id, abort, driver, listeners: new Map() }
    this.opened = opened
    opened.page = await driver
    return null
  }
}
