/**
 * A bounded queue of a session's events for one reader, which may be slow.
 *
 * @module
 */
import { Bell } from '../../async/bell.ts'
import type { SessionEvent } from './session-events.ts'

type Event = { readonly type: string }

/** Events that describe a state: the newest one of a type supersedes the earlier ones. */
const STATES: ReadonlySet<string> = new Set(['address', 'focus', 'loading', 'waiting'])
/** How many other events may wait; beyond that the oldest is dropped. Together with the states: less than 64 KiB. */
const MOST_OTHERS = 40

/** Whether an event is the last one of its session. */
export const isEnd = ({ type }: Event): boolean => type === 'done' || type === 'failed'

/** Delivers events one after the other as they arrive; the session's end is the last one. */
export class Events<E extends Event = SessionEvent> implements AsyncIterable<E> {
  private waiting: E[] = []
  private hasEnded = false
  private readonly bell = new Bell()

  /** @param first the initial events */
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

  /** Ends the iteration after the events that are already waiting. */
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

  /** Makes room for an event that is not a state. */
  private leaveOut(): void {
    const others = this.waiting.filter(({ type }) => !STATES.has(type))
    if (others.length >= MOST_OTHERS) this.waiting.splice(this.waiting.indexOf(others[0] as E), 1)
  }
}
