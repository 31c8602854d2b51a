/**
 * Calls of the service, in the child process: each waits for its answer, or for the end of its run.
 *
 * @module
 */

/** Of all runs of this process: a late answer to one must not be taken for one to the next. */
let last = 0

/** A number that no other call, file or page of this process has. */
export const newId = (): number => ++last

export class Calls<Answer> {
  private readonly waiting = new Map<number, (answer: Answer) => void>()

  /**
   * Sends a call and waits for its answer.
   *
   * @param signal ends the wait
   * @param send sends the call with its number
   * @throws what the signal was aborted with; an answer that comes later is dropped
   */
  call(signal: AbortSignal, send: (id: number) => void, id = newId()): Promise<Answer> {
    const { waiting } = this
    return new Promise((go, fail) => {
      const stop = () => {
        waiting.delete(id)
        fail(signal.reason)
      }
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      waiting.set(id, (answer) => {
        waiting.delete(id)
        signal.removeEventListener('abort', stop)
        go(answer)
      })
      send(id)
    })
  }

  /** Takes an answer; one that nobody waits for is dropped. */
  answer(id: number, answer: Answer): void {
    this.waiting.get(id)?.(answer)
  }
}
