/**
 * What is told of a visit, on its way to one person who may read slowly.
 *
 * @module
 */
import type { VisitEvent } from './session.ts'

/** Events that say how something stands: the newest of a type says all that those before it did. */
const STATES: ReadonlySet<VisitEvent['type']> = new Set(['address', 'focus', 'loading', 'waiting'])
/** So many others wait at most; the oldest go. With the states they have less than 64 KiB. */
const MOST_OTHERS = 40

/** Nothing comes after it. */
export const isEnd = ({ type }: VisitEvent): boolean => type === 'done' || type === 'failed'

/** Events as they come, for one who takes them one after the other; it ends with the visit. */
export class Events implements AsyncIterable<VisitEvent> {
  private waiting: VisitEvent[] = []
  private isOver = false
  private wake: (() => void) | undefined

  /** @param first what is told first */
  constructor(first: readonly VisitEvent[] = []) {
    for (const event of first) this.add(event)
  }

  add(event: VisitEvent): void {
    const { type } = event
    if (STATES.has(type)) this.waiting = this.waiting.filter((before) => before.type !== type)
    else this.leaveOut()
    this.waiting.push(event)
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

  /** Makes room for one that is no state. */
  private leaveOut(): void {
    const others = this.waiting.filter(({ type }) => !STATES.has(type))
    if (others.length >= MOST_OTHERS) this.waiting.splice(this.waiting.indexOf(others[0] as VisitEvent), 1)
  }
}
