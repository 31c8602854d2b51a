/**
 * Calls of the service, in the child process: each waits for its answer, or for the end of its run.
 *
 * @module
 */
import { unlessAborted } from '../../../async/abort.ts'
import type { FromChild } from '../heard.ts'
import type { Answer } from '../protocol.ts'

/** Of all runs of this process: a late answer to one must not be taken for one to the next. */
let last = 0

/** A number that no other call, file or page of this process has. */
export const newId = (): number => ++last

type AnswerOf<T extends Answer['type']> = Extract<Answer, { readonly type: T }>

export class Calls {
  private readonly waiting = new Map<number, (answer: Answer) => void>()

  constructor(private readonly send: (message: FromChild) => void) {}

  /**
   * Sends a call and waits for its answer.
   *
   * @param signal ends the wait
   * @throws what the signal was aborted with; an answer that comes later is dropped
   */
  async call<T extends Answer['type']>(
    type: T,
    message: FromChild & { readonly id: number },
    signal: AbortSignal,
  ): Promise<AnswerOf<T>> {
    signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<AnswerOf<T>>()
    this.waiting.set(message.id, (answer) => isOf(type, answer) && resolve(answer))
    this.send(message)
    try {
      return await unlessAborted(signal, promise)
    } finally {
      this.waiting.delete(message.id)
    }
  }

  /** Takes an answer; one that nobody waits for is dropped. */
  receive(answer: Answer): void {
    this.waiting.get(answer.id)?.(answer)
  }
}

const isOf = <T extends Answer['type']>(type: T, answer: Answer): answer is AnswerOf<T> =>
  answer.type === type
