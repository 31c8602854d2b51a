/**
 * A session as its person sees it, wherever it is: pending, at a host, or ended.
 *
 * While the person looks, it asks every two seconds how the session is, and whenever something has moved. So the host
 * knows that somebody is there, and nobody waits for a session that no host has any more.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { delay } from '../../../async/delay.ts'
import type { Frame } from '../../../browser/host/sign-in.ts'
import { SignInError, type SignInFault } from '../../../browser/signin/errors.ts'
import { Events, isEnd } from '../events.ts'
import type { Viewer } from '../gateway.ts'
import { failure, type SessionEvent } from '../session.ts'
import type { Calls } from './calls.ts'
import { opened, openedFrame } from './messages.ts'
import { PendingSession } from './pending.ts'
import type { Look } from './transport.ts'

const LOOK_MS = 2000
/** For what is between two hands: before the next look at a session that nobody seems to have. */
const SOON_MS = 300
/** A host that has not renewed its session for so long has died; after a loss of the connection all are back by then. */
const LOST_MS = 3000
/** How long a reply may take, in milliseconds; a picture's comes after {@link FRAME_WAIT_MS} at the latest. */
const REPLY_MS = 3000
/** How long a host waits for a new picture before it says that there is none, in milliseconds. */
export const FRAME_WAIT_MS = 5000

export type ViewerDeps = {
  readonly calls: Calls
  /** Reads the session's events from their beginning. @returns ends it */
  readonly read: (hear: (bytes: Buffer) => void) => () => void
  /** told when it begins to be told of the session, and when it ends that */
  readonly onEvents: (viewer: RelayViewer, isOpen: boolean) => void
}

export class RelayViewer extends PendingSession implements Viewer {
  private readonly name = randomBytes(16).toString('hex')
  private readonly told = new Events()
  /** the number of the event that was read last */
  private read = 0
  /** the host has said what holds; from there on events are told */
  private isAttached = false
  private before: number | null = null
  private isNew = true
  private hasLeft = false
  private sawEnd = false
  /** a picture may have got lost, and the page stands still since */
  private isMissing = false
  private nudged = new AbortController()
  /** since when nobody seems to have the session, by the clock that only goes forward; undefined: somebody has */
  private missedSince: number | undefined

  constructor(
    id: string,
    deps: ConstructorParameters<typeof PendingSession>[1],
    private readonly viewing: ViewerDeps,
  ) {
    super(id, deps)
  }

  events(leave: AbortSignal): AsyncIterable<SessionEvent> {
    const left = () => this.leave()
    leave.addEventListener('abort', left, { once: true })
    if (leave.aborted) left()
    this.viewing.onEvents(this, true)
    const stop = this.viewing.read((bytes) => this.hear(bytes))
    void this.watch().then(() => {
      stop()
      leave.removeEventListener('abort', left)
      this.viewing.onEvents(this, false)
    })
    return this.told
  }

  async frame({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<Frame> {
    for (let isFresh = fresh || this.isMissing; ; isFresh = false) {
      this.isMissing = true
      const frame = await this.nextFrame(isFresh)
      this.isMissing = false
      if (frame) return frame
      // Nobody looks any more at a page that stands still.
      if (this.hasLeft) throw new SignInError('closed')
    }
  }

  async send(inputs: readonly unknown[]): Promise<readonly (SignInFault | null)[]> {
    const reply = await this.call({ type: 'inputs', inputs })
    return reply?.type === 'inputs' ? reply.faults : []
  }

  close(): void {
    this.end().catch((err) => {
      if (!(err instanceof SignInError)) this.deps.trouble.failed(err, 'a sign-in could not be ended')
    })
  }

  /** Nothing more is told. */
  leave(): void {
    this.hasLeft = true
    this.told.end()
    this.nudge()
  }

  /** Something may have changed: looks now. */
  nudge(): void {
    this.nudged.abort()
  }

  private call(call: Parameters<Calls['make']>[2], ms: number | null = REPLY_MS) {
    return this.viewing.calls.make(this.id, this.seal, call, ms)
  }

  /** A picture as soon as there is one; undefined: nothing new so far. @throws {SignInError} */
  private async nextFrame(fresh: boolean): Promise<Frame | undefined> {
    const reply = await this.call({ type: 'frame', fresh }, FRAME_WAIT_MS + REPLY_MS)
    if (reply?.type !== 'frame' || !reply.isNew) return undefined
    const picture = await this.deps.transport.picture(this.id).catch((cause) => {
      throw new SignInError('browser-ended', undefined, cause)
    })
    return picture && openedFrame(this.seal, picture)
  }

  private async end(): Promise<void> {
    if (!(await this.withdraw('closed'))) await this.call({ type: 'close' })
  }

  /** Looks until it is over or the person leaves; never throws. */
  private async watch(): Promise<void> {
    while (!this.hasLeft) {
      this.nudged = new AbortController()
      const { signal } = this.nudged
      const isWell = await this.looked()
      if (isWell) this.missedSince = undefined
      else if (this.isLost()) this.tell(failure('browser-ended'))
      if (!this.hasLeft) await delay(isWell ? LOOK_MS : SOON_MS, signal)
    }
  }

  /** @returns whether the next look can wait */
  private async looked(): Promise<boolean> {
    try {
      const look = await this.look({ viewer: this.name, isNew: this.isNew })
      this.deps.trouble.well()
      if (!look) return false
      this.isNew = false
      if (look.viewer !== this.name) this.leave()
      else if (look.end !== null) return this.ended(look.end)
      else if (look.before !== null) this.wait(look.before)
      else if (!this.isAttached) await this.call({ type: 'attach', viewer: this.name }, null)
      return true
    } catch (err) {
      if (err instanceof SignInError) return false
      // While the store is away nothing is known, and it is asked again.
      if (!this.hasLeft) this.deps.trouble.failed(err, 'a sign-in could not be looked at')
      return true
    }
  }

  private ended(end: NonNullable<Look['end']>): boolean {
    // The host wrote its last event before: it is about to be read.
    const isSoon = this.isAttached && !this.sawEnd
    this.sawEnd = true
    if (!isSoon) this.tell(opened(this.seal, 'end', end) ?? failure('browser-ended'))
    return !isSoon
  }

  private wait(before: number): void {
    if (before !== this.before) this.tell({ type: 'waiting', before })
    this.before = before
  }

  private hear(bytes: Buffer): void {
    const sent = opened(this.seal, 'event', bytes)
    if (!sent) this.deps.trouble.failed(undefined, 'an event of a sign-in was not sealed by a key of ours')
    if (!sent || sent.n <= this.read) return
    this.read = sent.n
    const { event } = sent
    if (event.type !== 'attached') {
      if (this.isAttached) this.tell(event)
    } else if (event.viewer === this.name && !this.isAttached) {
      this.isAttached = true
      for (const each of event.events) this.tell(each)
    }
  }

  private tell(event: SessionEvent): void {
    if (this.hasLeft) return
    this.told.add(event)
    if (isEnd(event)) this.leave()
  }

  private isLost(): boolean {
    const now = performance.now()
    this.missedSince ??= now
    return now - this.missedSince > LOST_MS
  }
}
