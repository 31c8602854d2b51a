/**
 * What happens from now on, for whoever in this process waits for it: one live subscription, many listeners.
 *
 * @module
 */
import type { StreamName } from '../domain/ids.ts'
import type { EventLog, Recorded } from './event-log.ts'

/** Hears of an event; must not throw. */
export type Listener = (event: Recorded) => void

export class Tail {
  private readonly ofStream = new Map<string, Set<Listener>>()
  private readonly ofAll = new Set<Listener>()
  private readonly stopped = new AbortController()
  private done: Promise<void> | undefined

  constructor(private readonly log: EventLog) {}

  /** Begins at the head of the log. What was there before can be read from the log. */
  async start(): Promise<void> {
    const events = this.log.subscribe(await this.log.head(), { signal: this.stopped.signal })
    this.done = this.run(events)
  }

  /** Hears of all events; returns how to stop it. */
  all(listener: Listener): () => void {
    this.ofAll.add(listener)
    return () => this.ofAll.delete(listener)
  }

  /** Hears of one stream's events; returns how to stop it. Listen first, then read the stream: nothing is missed. */
  on(stream: StreamName, listener: Listener): () => void {
    const listeners = this.ofStream.get(stream) ?? new Set()
    this.ofStream.set(stream, listeners)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.ofStream.get(stream) === listeners) this.ofStream.delete(stream)
    }
  }

  async stop(): Promise<void> {
    this.stopped.abort()
    await this.done
  }

  private async run(deliveries: ReturnType<EventLog['subscribe']>): Promise<void> {
    for await (const delivery of deliveries) {
      if (delivery.kind !== 'events') continue
      for (const event of delivery.events) {
        for (const listener of this.ofAll) listener(event)
        const listeners = this.ofStream.get(event.stream)
        if (listeners) for (const listener of [...listeners]) listener(event)
      }
    }
  }
}
