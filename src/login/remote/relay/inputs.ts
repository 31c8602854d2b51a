/**
 * Inputs of one visit on their way to its post: in their order, many in one message, and one message at a time.
 *
 * @module
 */
import { SignInError, type SignInFault } from '../../../browser/signin/errors.ts'

/** So many wait at most, and so many characters of JSON in all. */
const MOST_WAITING = 2000
const MOST_WAITING_CHARS = 4 * 1024 * 1024
/** In one message: so many, and so many characters of JSON. */
const MOST_TOGETHER = 200
const MOST_CHARS = 256 * 1024
/** Of one input, as JSON: twice what a page takes of pasted text, and every character of it escaped. */
const MOST_OF_ONE = 128 * 1024

type Waiting = { readonly input: unknown; readonly chars: number; readonly sent: PromiseWithResolvers<void> }

export class Inputs {
  private readonly waiting: Waiting[] = []
  private waitingChars = 0
  private isSending = false

  /** @param pass passes inputs on, and says of each why it was not taken; null: it was. Throws {@link SignInError} */
  constructor(
    private readonly pass: (inputs: readonly unknown[]) => Promise<readonly (SignInFault | null)[]>,
  ) {}

  /** @throws {SignInError} `bad-input` or `flooded`, and it goes on; else why it was not passed on */
  send(input: unknown): Promise<void> {
    const chars = JSON.stringify(input)?.length ?? 0
    if (chars > MOST_OF_ONE) return Promise.reject(new SignInError('bad-input'))
    if (this.waiting.length >= MOST_WAITING || this.waitingChars + chars > MOST_WAITING_CHARS)
      return Promise.reject(new SignInError('flooded'))
    const sent = Promise.withResolvers<void>()
    this.waiting.push({ input, chars, sent })
    this.waitingChars += chars
    if (!this.isSending) void this.sendAll()
    return sent.promise
  }

  private async sendAll(): Promise<void> {
    this.isSending = true
    // What comes in the same moment goes together.
    await Promise.resolve()
    while (this.waiting.length > 0) await this.sendSome(this.next())
    this.isSending = false
  }

  private async sendSome(some: readonly Waiting[]): Promise<void> {
    try {
      const faults = await this.pass(some.map(({ input }) => input))
      for (const [i, { sent }] of some.entries()) {
        const fault = faults[i]
        if (fault) sent.reject(new SignInError(fault.code, fault.message))
        else sent.resolve()
      }
    } catch (error) {
      // What follows makes no sense without it.
      for (const { sent } of [...some, ...this.taken(this.waiting.length)]) sent.reject(error)
    }
  }

  private next(): Waiting[] {
    let chars = 0
    let count = 0
    for (const each of this.waiting) {
      chars += each.chars
      if (count > 0 && (count === MOST_TOGETHER || chars > MOST_CHARS)) break
      count++
    }
    return this.taken(count)
  }

  private taken(count: number): Waiting[] {
    const taken = this.waiting.splice(0, count)
    for (const { chars } of taken) this.waitingChars -= chars
    return taken
  }
}
