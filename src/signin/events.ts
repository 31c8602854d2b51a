/**
 * What is told of a visit, on its way to one person who may read slowly.
 *
 * @module
 */
import type { VisitEvent } from './signer.ts'

/** So many events wait for a person who reads slowly; the oldest go, since newer ones say the same better. */
export const MOST_EVENTS = 100

/** Nothing comes after it. */
export const isEnd = ({ type }: VisitEvent): boolean => type === 'done' || type === 'failed'

/** Events as they come, for one who takes them one after the other; it ends with the visit. */
export class Events implements AsyncIterable<VisitEvent> {
  private isOver = false
  private wake: (() => void) | undefined

  /** @param waiting what is told first */
  constructor(private readonly waiting: VisitEvent[] = []) {}

  add(event: VisitEvent): void {
    this.waiting.push(event)
    if (this.waiting.length > MOST_EVENTS) this.waiting.shift()
    this.wake?.()
  }

  /** Nothing more is told than what waits already. */
  end(): void {
    this.isOver = true
    this.wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<VisitEvent> {
    for (;;) {
      const event = this.waiting.shift()
      if (event) {
        yield event
        if (isEnd(event)) return
      } else if (this.isOver) return
      else {
        await new Promise<void>((go) => {
          this.wake = go
        })
      }
    }
  }
}
