/**
 * One running Chromium: how much it was used and takes, and the end of it.
 *
 * @module
 */
import type { Browser, CDPSession } from 'rebrowser-playwright'
import { clock } from '../../async/clock.ts'
import { withTimeout } from '../../async/delay.ts'
import { setTimeout } from '../../async/timers.ts'
import { SourceError } from '../../plugin/errors.ts'
import { residentMb } from '../../process/memory.ts'
import { kill } from '../../process/pid.ts'
import { BrowserFailed } from '../failure.ts'
import { launchChromium } from './launch.ts'

/** When one is replaced. */
export type Wear = {
  /** contexts that it has had */
  readonly contexts: number
  /** MiB of its processes without those of pages */
  readonly mb: number
}

export const WEAR: Wear = { contexts: 200, mb: 1000 }
/** MiB of the process of one page; a larger one is ended, and its page with it. */
export const MOST_PAGE_MB = 1024
const WATCH_MS = 500
/** A page ends so soon after its process, in milliseconds. */
const SOON_MS = 2000
/** How long a browser may take to say something, or to end, in milliseconds. */
const ANSWER_MS = 10_000

export class Chromium {
  /** contexts that are open, or about to be */
  open = 0
  private opened = 0
  private mb = 0
  private endedPageAt = Number.NEGATIVE_INFINITY
  private retired = false

  private constructor(
    readonly browser: Browser,
    private readonly session: CDPSession,
    private readonly pid: number | undefined,
    private readonly wear: Wear,
  ) {
    this.watchSoon()
  }

  /** @throws when it does not start */
  static async start(executable: string, wear: Wear): Promise<Chromium> {
    const browser = await launchChromium(executable)
    const session = await browser.newBrowserCDPSession()
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    const pid = processInfo.find(({ type }) => type === 'browser')?.id
    return new Chromium(browser, session, pid, wear)
  }

  /** Whether another one should take its place. */
  get isWorn(): boolean {
    const { contexts, mb } = this.wear
    return !this.browser.isConnected() || this.opened >= contexts || this.mb > mb
  }

  /** A context is about to be opened; to be told when it is closed. */
  enter(): void {
    this.open++
    this.opened++
  }

  leave(): void {
    this.open--
    if (this.retired && this.open === 0) void this.close()
  }

  /** It gets no further contexts, and ends with its last one. */
  retire(): void {
    this.retired = true
    if (this.open === 0) void this.close()
  }

  /** Why a page has just crashed. */
  crash(): SourceError {
    return clock.monotonic() - this.endedPageAt < SOON_MS
      ? new SourceError('response-too-large', `the page took more than ${MOST_PAGE_MB} MiB`)
      : new BrowserFailed('the page crashed')
  }

  /** Ends it, with what is open; again it does nothing. */
  async close(): Promise<void> {
    const late = () => new Error('the browser does not end')
    // One that does not end when it is asked to is ended.
    await withTimeout(ANSWER_MS, this.browser.close(), late).catch(() => kill(this.pid))
  }

  private watchSoon(): void {
    if (!this.browser.isConnected()) return
    setTimeout(() => void this.watch().finally(() => this.watchSoon()), WATCH_MS).unref()
  }

  private async watch(): Promise<void> {
    if (this.open === 0) return
    const late = () => new Error('the browser says nothing')
    const asked = withTimeout(ANSWER_MS, this.session.send('SystemInfo.getProcessInfo'), late)
    // One that says nothing may be about to end.
    const { processInfo: processes } = await asked.catch(() => ({ processInfo: [] }))
    const sizes = await residentMb(processes.map(({ id }) => id))
    let own = 0
    for (const { id, type } of processes) {
      const mb = sizes.get(id) ?? 0
      if (type !== 'renderer') own += mb
      else if (mb > MOST_PAGE_MB) {
        this.endedPageAt = clock.monotonic()
        kill(id)
      }
    }
    this.mb = own
  }
}
