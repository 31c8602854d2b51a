/**
 * What happens in a session, on its way to one reader who may be slow.
 *
 * @module
 */
import { Bell } from '../../async/bell.ts'
import type { SessionEvent } from './session.ts'

type Event = { readonly type: string }

/** Events that say how something is: the newest of a type says all that those before it did. */
const STATES: ReadonlySet<string> = new Set(['address', 'focus', 'loading', 'waiting'])
/** So many others wait at most; the oldest go. With the states they have less than 64 KiB. */
const MOST_OTHERS = 40

/** Nothing comes after it. */
export const isEnd = ({ type }: Event): boolean => type === 'done' || type === 'failed'

/** Events as they come, for a reader who takes them one after the other; the last one is the session's end. */
export class Events<E extends Event = SessionEvent> implements AsyncIterable<E> {
  private waiting: E[] = []
  private hasEnded = false
  private readonly bell = new Bell()

  /** @param first what is told first */
  constructor(first: readonly E[] = []) {
    for (const event of first) this.add(event)
  }

  add(event: E): void {
    const { type } = event
    if (STATES.has(type)) this.waiting = this.waiting.filter((before) => before.type !== type)
    else this.leaveOut()
    this.waiting.push(event)
    this.bell.ring()
  }

  /** Nothing more is told than what waits already. */
  end(): void {
    this.hasEnded = true
    this.bell.ring()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<E> {
    for (;;) {
      const event = this.waiting.shift()
      if (event) {
        yield event
        if (isEnd(event)) return
      } else if (this.hasEnded) return
      else await this.bell.rung()
    }
  }

  /** Makes room for one that is no state. */
  private leaveOut(): void {
    const others = this.waiting.filter(({ type }) => !STATES.has(type))
    if (others.length >= MOST_OTHERS) this.waiting.splice(this.waiting.indexOf(others[0] as E), 1)
  }
}
