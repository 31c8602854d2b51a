/**
 * A session at its host: gateways call it, and what happens there is told in its order, each once.
 *
 * @module
 */
import { delay } from '../../../async/delay.ts'
import type { Frame } from '../../../browser/host/sign-in.ts'
import { faultOfSignIn, type SignInFault, signInErrorOf } from '../../../browser/signin/errors.ts'
import type { Logger } from '../../../logger.ts'
import { Events, isEnd } from '../events.ts'
import { sendAll } from '../gateway.ts'
import type { Session, SessionEvent } from '../session.ts'
import type { Call, Reply, SentCall, SentEvent, Told } from './messages.ts'
import { FRAME_WAIT_MS } from './viewer.ts'

/** How a session is heard. */
export type HostedIo = {
  /** Writes an event, however often that must be tried. Never rejects. */
  tell(event: SentEvent): Promise<void>
  show(frame: Frame): Promise<void>
  reply(gateway: string, n: number, reply: Reply): void
}

export class HostedSession {
  readonly session: Session
  private readonly outgoing = new Events<Told>()
  /** the number of the last call, by gateway */
  private readonly last = new Map<string, number>()
  /** a picture that was asked for and has not come yet, or has come when nobody waited for it */
  private coming: Promise<Frame> | undefined
  /** how it ended, when it has */
  end: SessionEvent | undefined
  /** Resolves when it has ended and all was told. */
  readonly ended: Promise<unknown>

  /** @param open opens it in the browser */
  constructor(
    open: (onEvent: (event: SessionEvent) => void) => Session,
    private readonly io: HostedIo,
    private readonly logger: Logger,
  ) {
    this.session = open((event) => {
      if (isEnd(event)) this.end = event
      this.outgoing.add(event)
    })
    this.ended = Promise.all([this.session.ended, this.tellAll()])
  }

  /** Does what a call says, once. Never throws. */
  async receive({ gateway, n, call }: SentCall): Promise<void> {
    if (n <= (this.last.get(gateway) ?? 0)) return
    this.last.set(gateway, n)
    const reply = await this.replyTo(call).catch(
      (error): Reply => ({ type: 'fault', fault: this.faultOf(error) }),
    )
    if (call.type !== 'attach') this.io.reply(gateway, n, reply)
  }

  private async replyTo(call: Call): Promise<Reply> {
    switch (call.type) {
      case 'attach':
        this.session.attended()
        this.outgoing.add({ type: 'attached', viewer: call.viewer, events: this.session.current() })
        return { type: 'done' }
      case 'inputs':
        return { type: 'inputs', faults: await sendAll(this.session, call.inputs) }
      case 'frame':
        return { type: 'frame', isNew: await this.frame(call.fresh) }
      case 'close':
        this.session.close()
        return { type: 'done' }
    }
  }

  /** Shows the next picture. @returns false when there is none for a while: it is kept for who asks next */
  private async frame(fresh: boolean): Promise<boolean> {
    if (fresh || !this.coming) {
      this.coming = this.session.frame({ fresh })
      // It may fail when nobody waits for it any more.
      this.coming.catch(() => {})
    }
    const { coming } = this
    const waiting = new AbortController()
    try {
      const frame = await Promise.race([coming, delay(FRAME_WAIT_MS, waiting.signal)])
      if (!frame) return false
      this.taken(coming)
      await this.io.show(frame)
      return true
    } catch (error) {
      this.taken(coming)
      throw error
    } finally {
      waiting.abort()
    }
  }

  private taken(frame: Promise<Frame>): void {
    if (this.coming === frame) this.coming = undefined
  }

  private async tellAll(): Promise<void> {
    let n = 0
    for await (const event of this.outgoing) await this.io.tell({ n: ++n, event })
  }

  private faultOf(error: unknown): SignInFault {
    const known = signInErrorOf(error)
    if (known.code === 'defect')
      this.logger.error({ err: known.cause }, 'a sign-in could not do what was asked')
    return faultOfSignIn(known)
  }
}
