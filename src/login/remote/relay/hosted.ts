/**
 * A session at its host: what gateways call is done once, and what happens there is told in its order.
 *
 * @module
 */
import type { Frame } from '../../../browser/signin/types.ts'
import { Events, isEnd } from '../events.ts'
import { failure, type Session, type SessionEvent } from '../session.ts'
import type { SentCall, SentEvent } from './seal.ts'

type Told =
  | Exclude<SentEvent['event'], { readonly type: 'picture' }>
  | { readonly type: 'picture'; readonly frame: Frame }

export class HostedSession {
  readonly session: Session
  /** How it ended, when it has and all was told. */
  readonly ended: Promise<SessionEvent>
  private readonly outgoing = new Events<Told>()
  /** the number of the last call, by gateway */
  private readonly last = new Map<string, number>()
  /** the picture that was asked for */
  private coming: Promise<Frame> | undefined

  /**
   * @param open opens it in the browser
   * @param tell writes an event, with a picture where it is of one, however often that must be tried; never rejects
   */
  constructor(
    open: (onEvent: (event: SessionEvent) => void) => Session,
    private readonly tell: (event: SentEvent, picture?: Uint8Array) => Promise<void>,
  ) {
    this.session = open((event) => this.outgoing.add(event))
    this.ended = this.tellAll()
  }

  /** Does what a call says, once. */
  receive({ gateway, n, call }: SentCall): void {
    if (n <= (this.last.get(gateway) ?? 0)) return
    this.last.set(gateway, n)
    const { session } = this
    session.attended()
    if (call.type === 'attach')
      this.outgoing.add({ type: 'attached', viewer: call.viewer, events: session.current() })
    // There is no page yet or no more, which the person is told by events.
    else if (call.type === 'inputs') session.send(call.inputs).catch(() => {})
    else if (call.type === 'frame') this.show(call.fresh)
    else if (call.type === 'close') session.close()
  }

  /** Shows the next picture, as soon as there is one. */
  private show(fresh: boolean): void {
    if (this.coming && !fresh) return
    const coming = this.session.frame({ fresh })
    this.coming = coming
    coming
      .then((frame) => this.outgoing.add({ type: 'picture', frame }))
      // There are no more: its end is told.
      .catch(() => {})
      .finally(() => {
        if (this.coming === coming) this.coming = undefined
      })
  }

  private async tellAll(): Promise<SessionEvent> {
    let n = 0
    let end = failure('defect')
    for await (const event of this.outgoing) {
      n++
      if (event.type === 'picture') {
        const { jpeg, ...head } = event.frame
        await this.tell({ n, event: { type: 'picture', head } }, jpeg)
        continue
      }
      await this.tell({ n, event })
      if (event.type !== 'attached' && isEnd(event)) end = event
    }
    await this.session.ended
    return end
  }
}
