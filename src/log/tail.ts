/**
 * Events as they happen: one live subscription per process, with many listeners.
 *
 * @module
 */
import { retryUntilAborted } from '../async/retry.ts'
import type { AccountId, StreamName } from '../domain/ids.ts'
import { type EventLog, isUnavailable, LogReplaced, type Position, type Recorded } from './event-log.ts'

/** Called with an event; must not throw. */
export type Listener = (event: Recorded) => void

/** Delay between attempts to read the head of a replaced log, in milliseconds. */
const RETRY_MS = 100

export class Tail {
  /** by stream or account, whose names differ */
  private readonly listeners = new Map<string, Set<Listener>>()
  private readonly ofAll = new Set<Listener>()
  private readonly ofReplacement = new Set<() => void>()
  private readonly stopped = new AbortController()
  private done: Promise<void> | undefined
  /** All listeners have received the events up to and including this position; null before the first event. */
  position: Position | null = null

  constructor(private readonly log: EventLog) {}

  /** Begins at the head of the log. Earlier events can be read from the log. */
  async start(): Promise<void> {
    this.position = await this.log.head()
    this.done = this.run(this.position)
  }

  /** Listens to all events; returns a function that stops listening. */
  all(listener: Listener): () => void {
    this.ofAll.add(listener)
    return () => this.ofAll.delete(listener)
  }

  /**
   * Listens to one stream, or to one account's events; returns a function that stops. Listen first, then read the
   * stream: no event is missed.
   */
  on(name: StreamName | AccountId, listener: Listener): () => void {
    const { listeners: all } = this
    const listeners = all.get(name) ?? new Set()
    all.set(name, listeners)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && all.get(name) === listeners) all.delete(name)
    }
  }

  /**
   * Listens for the log being restored or replaced, see {@link LogReplaced}: everything read from it before is invalid.
   * Events after the call are from the new log. The listener must not throw.
   *
   * @returns a function that stops listening
   */
  onReplaced(listener: () => void): () => void {
    this.ofReplacement.add(listener)
    return () => this.ofReplacement.delete(listener)
  }

  async stop(): Promise<void> {
    this.stopped.abort()
    await this.done
  }

  private async run(from: Position | null): Promise<void> {
    const { signal } = this.stopped
    for (let after = from; !signal.aborted; ) {
      try {
        return await this.follow(after)
      } catch (error) {
        if (!(error instanceof LogReplaced)) throw error
      }
      // The position is read first, so that a listener that then reads a stream misses nothing.
      const again = { when: isUnavailable, firstMs: RETRY_MS, longestMs: RETRY_MS, signal }
      after = (await retryUntilAborted(() => this.log.head(), again)) ?? null
      this.position = after
      for (const listener of [...this.ofReplacement]) listener()
    }
  }

  private async follow(after: Position | null): Promise<void> {
    for await (const batch of this.log.subscribe(after, { signal: this.stopped.signal })) {
      if (batch.kind !== 'events') continue
      for (const event of batch.events) {
        for (const listener of this.ofAll) listener(event)
        for (const name of [event.stream, event.meta.account_id])
          for (const listener of [...(this.listeners.get(name) ?? [])]) listener(event)
        this.position = event.position
      }
    }
  }
}
