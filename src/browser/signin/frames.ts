/**
 * Pictures of the remote page as fast as they are taken, and no faster: one is kept, the newest; the browser makes
 * further ones when that was taken, and none at all while nobody asks.
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'
import { clock } from '../../async/clock.ts'
import { clearTimeout, setTimeout, type Timer } from '../../async/timers.ts'
import type { EventOf } from '../cdp.ts'
import { whenActive } from './active.ts'
import { pictureSize } from './screen.ts'
import type { Frame, Viewport } from './types.ts'

/** Of JPEG, in percent: text is well to be read, at a third of the bytes of 90. */
const QUALITY = 60
/** Between two frames, in milliseconds: what is faster is not seen to be, and takes the time of the page. */
const PACE_MS = 50
/** Chromium makes so many frames ahead, and drops what comes then. */
const AHEAD = 2
/** The page may look other than in the last frame when it stands still so long after dropped ones, in milliseconds. */
const STILL_MS = 100
/** When nobody has asked for so long, the browser makes none, in milliseconds. */
const UNASKED_MS = 1000

export class Frames {
  private newest: Frame | undefined
  private taker: PromiseWithResolvers<Frame> | undefined
  /** made and not acknowledged */
  private ahead: number[] = []
  private mayBeOld = false
  /** the browser makes them */
  private isOn = false
  private isStopped = false
  private acknowledging: Timer | undefined
  private refreshing: Timer | undefined
  private resting: Timer | undefined
  private ackedAt = 0
  /** starts and stops, one after the other */
  private turns: Promise<void> = Promise.resolve()

  constructor(
    private readonly session: CDPSession,
    private viewport: Viewport,
    /** told what keeps the browser from making them */
    private readonly onFailure: (error: unknown) => void,
  ) {
    session.on('Page.screencastFrame', (sent) => this.arrived(sent))
  }

  /** From here on they show another viewport. */
  resize(viewport: Viewport): void {
    this.viewport = viewport
    if (this.isOn || this.taker) this.restart()
  }

  /**
   * The newest frame that was not taken yet, as soon as there is one; all who wait get the same.
   *
   * @param fresh one that is made from now on, also when nothing has changed: for who has seen none
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

  /** No more are made; who waits for one is told why. */
  stop(error: Error): void {
    this.isStopped = true
    this.clear()
    this.newest = undefined
    // Nobody may be waiting.
    this.taker?.promise.catch(() => {})
    this.taker?.reject(error)
    this.taker = undefined
  }

  /** Begins anew, with a full frame of what is shown now. */
  private restart(): void {
    this.turn(async () => {
      await this.off()
      // Those before it were of the time before.
      this.isOn = true
      const { width: maxWidth, height: maxHeight } = pictureSize(this.viewport)
      const picture = { format: 'jpeg', quality: QUALITY, maxWidth, maxHeight } as const
      const start = () => this.session.send('Page.startScreencast', picture)
      await whenActive(start)
    })
  }

  private turn(work: () => Promise<unknown>): void {
    const next = async () => {
      if (!this.isStopped) await work()
    }
    this.turns = this.turns.then(next).catch((error) => {
      if (!this.isStopped) this.onFailure(error)
    })
  }

  private async off(): Promise<void> {
    this.clear()
    // While none are made an answer to one is an error.
    this.ahead = []
    this.mayBeOld = false
    this.isOn = false
    this.newest = undefined
    await this.session.send('Page.stopScreencast')
  }

  private arrived({ data, sessionId, metadata }: EventOf<'Page.screencastFrame'>): void {
    if (!this.isOn || this.isStopped) return
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
    // What the browser made while nobody asks would be old by the time that somebody does.
    this.resting = setTimeout(() => this.turn(async () => this.taker || this.off()), UNASKED_MS)
  }

  private acknowledge(): void {
    this.ackedAt = clock.monotonic()
    for (const sessionId of this.ahead.splice(0))
      this.session.send('Page.screencastFrameAck', { sessionId }).catch(this.onFailure)
    if (this.taker) this.refreshSoon()
  }

  /** What was dropped may have been the last change of the page; somebody waits for it. */
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
