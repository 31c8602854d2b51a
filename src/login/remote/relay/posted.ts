/**
 * A visit that a post has: its session, and what desks ask of it and are told.
 *
 * @module
 */
import { delay } from '../../../async/delay.ts'
import type { Frame } from '../../../browser/host/sign-in.ts'
import { faultOfSignIn, type SignInFault, signInErrorOf } from '../../../browser/signin/errors.ts'
import type { Logger } from '../../../logger.ts'
import { isEnd } from '../events.ts'
import type { Session, VisitEvent } from '../session.ts'
import { Heard } from './heard.ts'
import type { Answer, Asked, Question, ToDesk } from './messages.ts'
import { Outbox } from './outbox.ts'
import { FRAME_WAIT_MS } from './visit.ts'

/** Says something to a desk. */
export type Tell = (desk: string, message: ToDesk) => void

export class PostedVisit {
  readonly session: Session
  private readonly outbox = new Outbox()
  /** who is told, and at which desk */
  private attending: { readonly attendance: string; readonly desk: string } | undefined
  /** by desk */
  private readonly heard = new Map<string, Heard>()
  /** a frame that was asked for and has not come yet, or has come when nobody waited for it */
  private coming: Promise<Frame> | undefined
  /** how it ended, when it has */
  end: VisitEvent | undefined

  /** @param open lets the person in */
  constructor(
    open: (onEvent: (event: VisitEvent) => void) => Session,
    private readonly tell: Tell,
    private readonly logger: Logger,
  ) {
    this.session = open((event) => this.happened(event))
  }

  /** Does what is asked, once. Never throws. */
  async receive({ desk, n, question }: Asked): Promise<void> {
    const heard = this.heard.get(desk) ?? new Heard()
    this.heard.set(desk, heard)
    if (!heard.isNew(n)) return
    // Desks ask for as long as somebody attends there.
    this.session.attended()
    const answer = await this.answerTo(desk, question).catch(
      (error): Answer => ({ type: 'fault', fault: this.faultOf(error) }),
    )
    this.tell(desk, { type: 'answer', n, answer })
  }

  private async answerTo(desk: string, question: Question): Promise<Answer> {
    switch (question.type) {
      case 'attend':
        return this.attend(desk, question.attendance, question.after)
      case 'inputs':
        return { type: 'inputs', faults: await Promise.all(question.inputs.map((each) => this.input(each))) }
      case 'frame':
        return { type: 'frame', frame: await this.frame(question.fresh) }
      case 'close':
        this.session.close()
        return { type: 'done' }
    }
  }

  private attend(desk: string, attendance: string, after: number | null): Answer {
    this.attending = { attendance, desk }
    const { last } = this.outbox
    const events = after === null ? this.session.current() : this.outbox.after(after)
    return { type: 'attended', events, last }
  }

  private async input(input: unknown): Promise<SignInFault | null> {
    try {
      await this.session.send(input)
      return null
    } catch (error) {
      return this.faultOf(error)
    }
  }

  /** The next frame, or null when there is none for a while: it is kept for who asks next. */
  private async frame(fresh: boolean): Promise<Frame | null> {
    if (fresh || !this.coming) {
      this.coming = this.session.frame({ fresh })
      // It may fail when nobody waits for it any more.
      this.coming.catch(() => {})
    }
    const { coming } = this
    const waiting = new AbortController()
    try {
      const frame = await Promise.race([coming, delay(FRAME_WAIT_MS, waiting.signal)])
      if (frame) this.taken(coming)
      return frame ?? null
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

  private happened(event: VisitEvent): void {
    const n = this.outbox.add(event)
    if (isEnd(event)) this.end = event
    const { desk, attendance } = this.attending ?? {}
    if (desk !== undefined && attendance !== undefined)
      this.tell(desk, { type: 'event', attendance, n, event })
  }

  private faultOf(error: unknown): SignInFault {
    const known = signInErrorOf(error)
    if (known.code === 'defect')
      this.logger.error({ err: known.cause }, 'a sign-in could not do what was asked')
    return faultOfSignIn(known)
  }
}
