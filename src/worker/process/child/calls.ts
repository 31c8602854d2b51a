/**
 * Calls to the service, in the child process: each waits for its answer, or for the end of its run.
 *
 * @module
 */
import { unlessAborted } from '../../../async/abort.ts'
import type { OfRun } from '../from-child.ts'
import type { WorkerAnswer } from '../protocol.ts'

/** Counts across all runs of this process: a late answer must not be mistaken for an answer to the next run. */
let last = 0

/** A number unique among all calls, files and pages of this process. */
export const newId = (): number => ++last

type AnswerOf<T extends WorkerAnswer['type']> = Extract<WorkerAnswer, { readonly type: T }>

export class Calls {
  private readonly waiting = new Map<number, (answer: WorkerAnswer) => void>()

  constructor(private readonly send: (message: OfRun) => void) {}

  /**
   * Sends a call and waits for its answer.
   *
   * @param signal ends the wait
   * @throws the abort reason of the signal; a later answer is dropped
   */
  async call<T extends WorkerAnswer['type']>(
    type: T,
    message: OfRun & { readonly id: number },
    signal: AbortSignal,
  ): Promise<AnswerOf<T>> {
    signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<AnswerOf<T>>()
    this.waiting.set(message.id, (answer) => {
      if (answer.type === type) resolve(answer as AnswerOf<T>)
    })
    this.send(message)
    try {
      return await unlessAborted(signal, promise)
    } finally {
      this.waiting.delete(message.id)
    }
  }

  /** Receives an answer; an unexpected answer is dropped. */
  receive(answer: WorkerAnswer): void {
    this.waiting.get(answer.id)?.(answer)
  }
}
