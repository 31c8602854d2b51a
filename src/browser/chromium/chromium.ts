/**
 * One running Chromium: its wear, its memory use, and its end.
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

/** The limits at which a browser is replaced. */
export type Wear = {
  /** contexts opened so far */
  readonly contexts: number
  /** MiB used by its processes, excluding page processes */
  readonly mb: number
}

export const WEAR: Wear = { contexts: 200, mb: 1000 }
/** MiB of one page's process. A larger process is killed, which ends the page. */
export const MOST_PAGE_MB = 1024
const WATCH_MS = 500
/** A crash within this time after the kill of a page's process is attributed to it, in milliseconds. */
const SOON_MS = 2000
/** How long a browser may take to close, in milliseconds. */
const CLOSE_MS = 10_000

export class Chromium {
  /** contexts that are open or being opened */
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

  /** Starts a browser. @throws when it does not start */
  static async start(executable: string, wear: Wear): Promise<Chromium> {
    const browser = await launchChromium(executable)
    const session = await browser.newBrowserCDPSession()
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    const pid = processInfo.find(({ type }) => type === 'browser')?.id
    return new Chromium(browser, session, pid, wear)
  }

  /** Whether the browser should be replaced. */
  get isWorn(): boolean {
    const { contexts, mb } = this.wear
    return !this.browser.isConnected() || this.opened >= contexts || this.mb > mb
  }

  /** To be called before a context is opened, and {@link leave} when it is closed. */
  enter(): void {
    this.open++
    this.opened++
  }

  leave(): void {
    this.open--
    if (this.retired && this.open === 0) void this.close()
  }

  /** Closes the browser once its last context is closed. The caller opens no further contexts in it. */
  retire(): void {
    this.retired = true
    if (this.open === 0) void this.close()
  }

  /** The reason for a page's crash that has just happened. */
  crash(): SourceError {
    return clock.monotonic() - this.endedPageAt < SOON_MS
      ? new SourceError('response-too-large', `the page used more than ${MOST_PAGE_MB} MiB`)
      : new BrowserFailed('the page crashed')
  }

  /** Closes the browser with all open pages. Idempotent. */
  async close(): Promise<void> {
    const late = () => new Error('the browser did not close in time')
    // A browser that does not close when asked is killed.
    await withTimeout(CLOSE_MS, this.browser.close(), late).catch(() => kill(this.pid))
  }

  private watchSoon(): void {
    if (!this.browser.isConnected()) return
    setTimeout(() => void this.watch().finally(() => this.watchSoon()), WATCH_MS).unref()
  }

  private async watch(): Promise<void> {
    if (this.open === 0) return
    const info = this.session.send('SystemInfo.getProcessInfo')
    // A browser that fails to respond is closing.
    const { processInfo: processes } = await info.catch(() => ({ processInfo: [] }))
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
