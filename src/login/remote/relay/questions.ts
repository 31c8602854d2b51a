/**
 * Questions of a desk to posts, until they are answered or their time is over.
 *
 * @module
 */
import { withTimeout } from '../../../async/delay.ts'
import { SignInError } from '../../../browser/signin/errors.ts'
import { type Answer, askedBytes, MOST_BYTES, type Question } from './messages.ts'
import type { VisitSeal } from './seal.ts'
import type { SignInWire } from './transport.ts'
import type { Trouble } from './trouble.ts'

/** Which visit is asked about, and at which post. */
export type Where = { readonly id: string; readonly seal: VisitSeal; readonly post: string }

export class Questions {
  private readonly open = new Map<number, (answer: Answer) => void>()
  private last = 0

  /** @param desk the name that answers are sent to */
  constructor(
    private readonly desk: string,
    private readonly wire: Pick<SignInWire, 'send'>,
    private readonly trouble: Trouble,
  ) {}

  /**
   * Asks.
   *
   * @param ms how long the answer may take, in milliseconds
   * @throws {SignInError} what the answer says; `browser-ended` when there is none, or nobody to give one
   */
  async ask({ id, seal, post }: Where, question: Question, ms: number): Promise<Answer> {
    const n = ++this.last
    const bytes = askedBytes(id, seal, { desk: this.desk, n, question })
    if (bytes.length > MOST_BYTES) throw new SignInError('bad-input')
    const answered = Promise.withResolvers<Answer>()
    this.open.set(n, answered.resolve)
    const sent = this.wire.send(post, bytes).then((mayHear) => {
      if (!mayHear) throw new SignInError('browser-ended')
      return answered.promise
    })
    try {
      const answer = await withTimeout(ms, sent, () => new SignInError('browser-ended'))
      if (answer.type === 'fault') throw new SignInError(answer.fault.code, answer.fault.message)
      return answer
    } catch (error) {
      if (error instanceof SignInError) throw error
      this.trouble.failed(error, 'a sign-in could not be asked')
      throw new SignInError('browser-ended')
    } finally {
      this.open.delete(n)
    }
  }

  /** An answer has come; one that nobody waits for any more is let go. */
  answered(n: number, answer: Answer): void {
    this.open.get(n)?.(answer)
  }
}
