/**
 * A session at its host: executes each call of the gateways once, and publishes the session's events in order.
 *
 * @module
 */
import type { Frame } from '../../browser/types.ts'
import { Events, isEnd } from '../events.ts'
import type { SignInSession } from '../session.ts'
import { failure, type SessionEvent } from '../session-events.ts'
import type { SentCall, SentEvent } from './seal.ts'

type Outgoing =
  | Exclude<SentEvent['event'], { readonly type: 'picture' }>
  | { readonly type: 'picture'; readonly frame: Frame }

export class HostedSession {
  readonly session: SignInSession
  /** Resolves to the end of the session when all its events are published. */
  readonly ended: Promise<SessionEvent>
  private readonly outgoing = new Events<Outgoing>()
  /** the number of the last call, by gateway */
  private readonly last = new Map<string, number>()
  /** the requested picture */
  private coming: Promise<Frame> | undefined

  /**
   * @param open opens the session in the browser
   * @param tell writes an event, and the picture if the event announces one, with retries; never rejects
   */
  constructor(
    open: (onEvent: (event: SessionEvent) => void) => SignInSession,
    private readonly tell: (event: SentEvent, picture?: Uint8Array) => Promise<void>,
  ) {
    this.session = open((event) => this.outgoing.add(event))
    this.ended = this.tellAll()
  }

  /** Executes a call, once. */
  receive({ gateway, n, call }: SentCall): void {
    if (n <= (this.last.get(gateway) ?? 0)) return
    this.last.set(gateway, n)
    const { session } = this
    session.attended()
    if (call.type === 'attach')
      this.outgoing.add({ type: 'attached', viewer: call.viewer, events: session.current() })
    // There is no page yet, or no longer. Events tell the person.
    else if (call.type === 'inputs') session.send(call.inputs).catch(() => {})
    else if (call.type === 'frame') this.show(call.fresh)
    else if (call.type === 'close') session.close()
  }

  /** Publishes the next picture as soon as it is available. */
  private show(fresh: boolean): void {
    if (this.coming && !fresh) return
    const coming = this.session.frame({ fresh })
    this.coming = coming
    coming
      .then((frame) => this.outgoing.add({ type: 'picture', frame }))
      // The session has ended, which an event reports.
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
