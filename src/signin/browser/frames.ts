/**
 * Frames of the remote page, made no faster than they are taken. Only the newest is kept. The browser makes further
 * frames when it is taken, and none while nobody asks.
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'
import { clock } from '../../async/clock.ts'
import { clearTimeout, setTimeout, type Timer } from '../../async/timers.ts'
import type { EventOf } from '../../browser/cdp.ts'
import { whenActive } from './active.ts'
import { pictureSize } from './screen.ts'
import type { Frame, Viewport } from './types.ts'

/** JPEG quality in percent. Text is readable, at a third of the bytes of quality 90. */
const QUALITY = 60
/** Interval between two frames, in milliseconds. A higher rate is not visible and slows down the page. */
const PACE_MS = 50
/** The number of frames that Chromium makes before an acknowledgement. It drops further ones. */
const AHEAD = 2
/** After dropped frames, a page that is still for this long may differ from the last frame, in milliseconds. */
const STILL_MS = 100
/** The browser stops making frames when nobody has asked for this long, in milliseconds. */
const UNASKED_MS = 1000

export class Frames {
  private newest: Frame | undefined
  private taker: PromiseWithResolvers<Frame> | undefined
  /** frames that were made and not acknowledged */
  private ahead: number[] = []
  private mayBeOld = false
  /** whether the browser makes frames */
  private isOn = false
  private acknowledging: Timer | undefined
  private refreshing: Timer | undefined
  private resting: Timer | undefined
  private ackedAt = 0
  /** serializes starts and stops */
  private turns: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly session: CDPSession,
    private viewport: Viewport,
    /** called with errors that keep the browser from making frames */
    private readonly onFailure: (error: unknown) => void,
  ) {
    session.on('Page.screencastFrame', (sent) => this.arrived(sent))
  }

  /** Changes the viewport that the frames show. */
  resize(viewport: Viewport): void {
    this.viewport = viewport
    if (this.isOn || this.taker) this.restart()
  }

  /**
   * Returns the newest frame that was not taken yet, as soon as one is available. Concurrent calls get the same frame.
   *
   * @param fresh makes a new frame even when nothing has changed, for a viewer that has seen none
   */
  next(fresh: boolean): Promise<Frame> {
    clearTimeout(this.resting)
    const isAsked = this.taker !== undefined
    this.taker ??= Promise.withResolvers()
    const { promise } = this.taker
    if (fresh || !(this.isOn || isAsked)) {
      this.newest = undefined
      this.restart()
    } else this.hand()
    return promise
  }

  /** Stops making frames. Pending calls of {@link next} fail with the error. */
  stop(error: Error): void {
    this.clear()
    this.isOn = false
    this.newest = undefined
    // No caller may be waiting.
    this.taker?.promise.catch(() => {})
    this.taker?.reject(error)
    this.taker = undefined
  }

  /** Restarts the screencast, with a full frame of the current page. */
  private restart(): void {
    this.turn(async () => {
      await this.off()
      // Frames that arrive before this point belong to the previous screencast.
      this.isOn = true
      const { width: maxWidth, height: maxHeight } = pictureSize(this.viewport)
      const picture = { format: 'jpeg', quality: QUALITY, maxWidth, maxHeight } as const
      const start = () => this.session.send('Page.startScreencast', picture)
      await whenActive(start)
    })
  }

  private turn(work: () => Promise<unknown>): void {
    this.turns = this.turns.then(work).catch(this.onFailure)
  }

  private async off(): Promise<void> {
    this.clear()
    // Acknowledging a frame is an error while the screencast is off.
    this.ahead = []
    this.mayBeOld = false
    this.isOn = false
    this.newest = undefined
    await this.session.send('Page.stopScreencast')
  }

  private arrived({ data, sessionId, metadata }: EventOf<'Page.screencastFrame'>): void {
    if (!this.isOn) return
    clearTimeout(this.refreshing)
    const { width, height } = this.viewport
    const scroll = { x: metadata.scrollOffsetX, y: metadata.scrollOffsetY }
    this.newest = { jpeg: Buffer.from(data, 'base64'), width, height, scroll }
    this.ahead.push(sessionId)
    this.mayBeOld = this.ahead.length >= AHEAD
    this.hand()
  }

  private hand(): void {
    const { newest, taker } = this
    if (!taker) return
    if (!newest) {
      this.refreshSoon()
      return
    }
    this.newest = undefined
    this.taker = undefined
    taker.resolve(newest)
    clearTimeout(this.acknowledging)
    const wait = Math.max(0, this.ackedAt + PACE_MS - clock.monotonic())
    this.acknowledging = setTimeout(() => this.acknowledge(), wait)
    // Frames made while nobody asks would be outdated by the next call.
    this.resting = setTimeout(() => this.turn(async () => this.taker || this.off()), UNASKED_MS)
  }

  private acknowledge(): void {
    this.ackedAt = clock.monotonic()
    for (const sessionId of this.ahead.splice(0))
      this.session.send('Page.screencastFrameAck', { sessionId }).catch(this.onFailure)
    if (this.taker) this.refreshSoon()
  }

  /** Schedules a restart when frames were dropped: a dropped frame may hold the page's last change. */
  private refreshSoon(): void {
    clearTimeout(this.refreshing)
    if (this.mayBeOld && this.ahead.length === 0) this.refreshing = setTimeout(() => this.restart(), STILL_MS)
  }

  private clear(): void {
    clearTimeout(this.acknowledging)
    clearTimeout(this.refreshing)
    clearTimeout(this.resting)
  }
}
