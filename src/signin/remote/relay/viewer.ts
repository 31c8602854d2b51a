/**
 * The viewer of a session that may be pending, at a host in any process, or ended.
 *
 * While the person watches, the viewer checks the session every second. This tells the host that somebody is watching,
 * and detects sessions that no host has any more.
 *
 * @module
 */
import { delay, withTimeout } from '../../../async/delay.ts'
import { StoreUnavailable } from '../../../log/event-log.ts'
import type { Logger } from '../../../logger.ts'
import { randomBytes } from '../../../random.ts'
import { SignInError } from '../../browser/errors.ts'
import type { Frame } from '../../browser/types.ts'
import type { SignInLinks } from '../../links.ts'
import { Events, isEnd } from '../events.ts'
import type { Viewer } from '../gateway.ts'
import { failure, type SessionEnd, type SessionEvent } from '../session-events.ts'
import type { GatewayCall, PictureHead, SessionSeal } from './seal.ts'
import type { SignInTransport } from './transport.ts'

export type RelayViewerDeps = {
  readonly transport: SignInTransport
  readonly signInLinks: Pick<SignInLinks, 'find' | 'close'>
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
  readonly id: string
  readonly seal: SessionSeal
  /** Passes a call on to the host. @throws {SignInError} why it was not passed on @throws {StoreUnavailable} */
  readonly call: (call: GatewayCall) => Promise<void>
}

/** The intervals between checks of the session, in milliseconds: while it has a host, and before. */
const LOOK_MS = 1000
const SOON_MS = 500
/** A session is lost if more checks in a row find it at no host. A host that had lost Redis renews it sooner. */
const MOST_MISSED = 6
/** After this time without a picture it may have been lost and is requested again, in milliseconds. */
const FRAME_MS = 10_000

export class RelayViewer implements Viewer {
  private readonly name = randomBytes(16).toString('hex')
  private readonly outgoing = new Events()
  private readonly leaving = new AbortController()
  /** resolves when the host has reported the current state or the viewer has left; events are delivered from then on */
  private readonly attached = Promise.withResolvers<void>()
  private isAttached = false
  private isNew = true
  /** the number of the last event that was read */
  private read = 0
  private position = 0
  private nextPicture: PromiseWithResolvers<PictureHead> | undefined

  constructor(private readonly deps: RelayViewerDeps) {}

  events(leave: AbortSignal): AsyncIterable<SessionEvent> {
    const { transport, id } = this.deps
    const stop = transport.events(id, (bytes) => this.hear(bytes))
    leave.addEventListener('abort', () => this.leave(), { once: true })
    if (leave.aborted) this.leave()
    void this.watch().then(stop)
    return this.outgoing
  }

  async frame({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<Frame> {
    await this.attached.promise
    const { transport, id, seal, call } = this.deps
    const announced = Promise.withResolvers<PictureHead>()
    // Avoids an unhandled rejection while nobody is waiting for it.
    announced.promise.catch(() => {})
    this.nextPicture = announced
    await call({ type: 'frame', fresh })
    if (this.leaving.signal.aborted) throw new SignInError('closed')
    const late = () => new StoreUnavailable('no picture came in time')
    const head = await withTimeout(FRAME_MS, announced.promise, late)
    const picture = await transport.picture(id)
    const jpeg = picture && seal.open('picture', picture)
    if (!jpeg) throw late()
    return { ...head, jpeg }
  }

  async send(inputs: readonly unknown[]): Promise<void> {
    // The person may have been told of the end before the host stored it.
    if (this.leaving.signal.aborted) throw new SignInError('closed')
    await this.deps.call({ type: 'inputs', inputs })
  }

  async close(): Promise<void> {
    if (!(await this.withdraw('closed'))) await this.deps.call({ type: 'close' })
  }

  /** Ends the viewer's events. */
  private leave(): void {
    this.leaving.abort()
    this.outgoing.end()
    this.attached.resolve()
    this.nextPicture?.reject(new SignInError('closed'))
  }

  /** Ends a pending session and its link. @returns whether it was pending */
  private async withdraw(code: SessionEnd): Promise<boolean> {
    const { transport, id, seal, signInLinks } = this.deps
    const sealed = await transport.end(id, seal.pack('end', failure(code)), 'pending')
    const pending = sealed && seal.unpack('pending', sealed)
    if (pending) await signInLinks.close(pending.hash)
    return sealed !== undefined
  }

  /** Checks the session until it has ended or the person leaves. Never throws. */
  private async watch(): Promise<void> {
    const { signal } = this.leaving
    for (let missed = 0; !signal.aborted; ) {
      missed = (await this.look()) ? 0 : missed + 1
      if (missed > MOST_MISSED) this.tell(failure('browser-ended'))
      await delay(this.isAttached && missed === 0 ? LOOK_MS : SOON_MS, signal)
    }
  }

  /** @returns false if no host has the session */
  private async look(): Promise<boolean> {
    const { transport, id, seal, call, logger } = this.deps
    try {
      const look = await transport.look(id, this.name, this.isNew)
      if (!look) return false
      const isFirst = this.isNew
      this.isNew = false
      if (look.viewer !== this.name) this.leave()
      else if (look.end) this.tell(seal.unpack('end', look.end) ?? failure('browser-ended'))
      else if (look.pending) await this.wait(isFirst ? 0 : look.position, look.pending)
      else await call(this.isAttached ? { type: 'here' } : { type: 'attach', viewer: this.name })
      return true
    } catch (err) {
      if (err instanceof SignInError) return err.code !== 'browser-ended'
      // While Redis is unavailable nothing is known. The connection itself logs that.
      if (!(err instanceof StoreUnavailable))
        logger.warn({ err }, 'The status of a sign-in could not be read. Trying again.')
      return true
    }
  }

  /** Reports the queue position, unless a host claims the session at once. Withdraws it if its link is invalid. */
  private async wait(position: number, sealed: Buffer): Promise<void> {
    const { id, seal, signInLinks, now } = this.deps
    if (position !== this.position) this.tell({ type: 'waiting', before: position })
    this.position = position
    const pending = seal.unpack('pending', sealed)
    if (!pending || (await signInLinks.find(pending.hash, now()))?.opened === id) return
    await this.withdraw(now() >= pending.expiresAt ? 'expired' : 'withdrawn')
  }

  private hear(bytes: Buffer): void {
    const sent = this.deps.seal.unpack('event', bytes)
    if (!sent)
      this.deps.logger.warn('An event of a sign-in was ignored: it is not sealed with a key of this vault.')
    if (!sent || sent.n <= this.read) return
    this.read = sent.n
    const { event } = sent
    if (event.type === 'picture') this.nextPicture?.resolve(event.head)
    else if (event.type !== 'attached') {
      if (this.isAttached) this.tell(event)
    } else if (event.viewer === this.name && !this.isAttached) {
      this.isAttached = true
      this.attached.resolve()
      for (const each of event.events) this.tell(each)
    }
  }

  private tell(event: SessionEvent): void {
    if (this.leaving.signal.aborted) return
    this.outgoing.add(event)
    if (isEnd(event)) this.leave()
  }
}
