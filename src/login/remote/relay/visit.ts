/**
 * A visit as a desk has it that may lie anywhere: in the line, at a post, or over.
 *
 * @module
 */

import type { Frame } from '../../../browser/host/sign-in.ts'
import { SignInError } from '../../../browser/signin/errors.ts'
import { KEPT_MS } from '../gateway.ts'
import { failure, type VisitEnd, type VisitEvent } from '../session.ts'
import { Inputs } from './inputs.ts'
import { type Answer, type Offer, openedJson, type Question, sealedJson } from './messages.ts'
import type { Questions } from './questions.ts'
import type { VisitSeal } from './seal.ts'
import type { Attends, SignInWire, Standing } from './transport.ts'

/** How long an answer may take, in milliseconds; a frame's comes after {@link FRAME_WAIT_MS} at the latest. */
const ANSWER_MS = 3000
/** How long a post waits for a new frame before it says that there is none, in milliseconds. */
export const FRAME_WAIT_MS = 5000

export class RelayVisit {
  private readonly inputs = new Inputs(async (inputs) => {
    const answer = await this.ask({ type: 'inputs', inputs })
    return answer.type === 'inputs' ? answer.faults : inputs.map(() => CLOSED)
  })
  /** which post has it, as far as is known */
  private post: string | null = null

  constructor(
    readonly id: string,
    readonly seal: VisitSeal,
    private readonly wire: SignInWire,
    private readonly questions: Questions,
  ) {}

  /** How it stands now; undefined when it is lost. */
  async standing(attends?: Attends): Promise<Standing | undefined> {
    const standing = await this.wire.standing(this.id, attends)
    // At its end it has none any more, but the one that had it can tell of it for a while.
    if (!standing?.end) this.post = standing?.post ?? null
    return standing
  }

  /** How it ended. */
  endIn({ end }: Standing): VisitEvent | undefined {
    return end === null ? undefined : openedJson<VisitEvent>(this.seal, 'end', end)
  }

  /**
   * Asks the post that has it.
   *
   * @throws {SignInError} what the answer says; `busy` while it waits, `closed` when it is over; `browser-ended` when it
   *   is lost or there is no answer
   */
  async ask(question: Question, ms = ANSWER_MS): Promise<Answer> {
    const { id, seal } = this
    const post = this.post ?? (await this.postNow())
    try {
      const answer = await this.questions.ask({ id, seal, post }, question, ms)
      if (answer.type === 'unknown') this.post = null
      return answer
    } catch (error) {
      // Whoever asks next looks where it is then.
      if (error instanceof SignInError && error.code === 'browser-ended') this.post = null
      throw error
    }
  }

  private async postNow(): Promise<string> {
    const standing = await this.standing().catch((cause) => {
      throw new SignInError('browser-ended', undefined, cause)
    })
    if (standing?.post) return standing.post
    if (standing?.end) throw new SignInError('closed')
    throw new SignInError(standing ? 'busy' : 'browser-ended')
  }

  send(input: unknown): Promise<void> {
    return this.inputs.send(input)
  }

  /** A frame as soon as there is one; null: nothing new so far. @throws {SignInError} */
  async frame(fresh: boolean): Promise<Frame | null> {
    const answer = await this.ask({ type: 'frame', fresh }, FRAME_WAIT_MS + ANSWER_MS)
    if (answer.type !== 'frame') throw new SignInError('closed')
    return answer.frame
  }

  /** Ends it at the post that has it. @throws {SignInError} */
  async close(): Promise<void> {
    await this.ask({ type: 'close' })
  }

  /** Ends it where it still waits. @returns what it was offered with; undefined when it does not wait */
  async withdraw(code: VisitEnd): Promise<Offer | undefined> {
    const sealed = sealedJson(this.seal, 'end', failure(code))
    const offer = await this.wire.withdraw(this.id, sealed, KEPT_MS)
    return offer === undefined ? undefined : openedJson<Offer>(this.seal, 'offer', offer)
  }
}

const CLOSED = { code: 'closed', message: new SignInError('closed').message } as const
