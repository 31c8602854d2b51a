/**
 * The one live subscription of a process. It takes events as fast as the server sends them, since the server drops who
 * is 32 behind, and hands them to all live subscribers; whatever ends it, it begins again from the last event that it
 * handed over.
 *
 * @module
 */
import {
  type AllStreamSubscription,
  type EventStoreDBClient,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import { pause } from '../pause.ts'
import type { Recorded } from './event-log.ts'
import { stop, typeOf, unavailable } from './eventstore-calls.ts'
import { PREFIXES, positionPair, recordedOf } from './eventstore-events.ts'
import type { Live } from './live.ts'

export type FeedOptions = {
  readonly client: EventStoreDBClient
  /** the position of our last event, 0 without one */
  readonly head: () => Promise<number>
  /** told of each end that is more than a slow reader's; it begins again by itself */
  readonly onFailure: (error: unknown) => void
}

const RETRY_MS = 50
const LONGEST_RETRY_MS = 5000
/** What is in the log must have come after so long, in milliseconds. */
const WATCH_MS = 1000
/** Events looked at between two signs of life of a filtered subscription, in units of 32. */
const CHECKPOINT_INTERVAL = 32

/** A subscription to all our events after a position, exclusive; 0: from the start. */
export function subscribeAfter(
  client: EventStoreDBClient,
  position: number,
  alive?: () => void,
): AllStreamSubscription {
  return client.subscribeToAll({
    fromPosition: position === 0 ? START : positionPair(position),
    filter: streamNameFilter({
      prefixes: PREFIXES,
      checkpointInterval: CHECKPOINT_INTERVAL,
      // Only a sign of life: the place of a checkpoint may be that of the next event (KurrentDB issue 4970).
      checkpointReached: async () => alive?.(),
    }),
  })
}

export class Feed {
  private readonly lives = new Set<Live>()
  private stopped: AbortController | undefined
  private running: Promise<void> = Promise.resolve()
  /** all that stands up to here was handed over */
  private position = 0

  constructor(private readonly options: FeedOptions) {}

  join(live: Live): void {
    this.lives.add(live)
    if (this.stopped) return
    const stopped = new AbortController()
    this.stopped = stopped
    this.running = this.running.then(() => this.run(stopped.signal))
  }

  leave(live: Live): void {
    this.lives.delete(live)
    if (this.lives.size > 0) return
    this.stopped?.abort()
    this.stopped = undefined
  }

  async close(): Promise<void> {
    this.stopped?.abort()
    this.stopped = undefined
    await this.running
  }

  private async run(signal: AbortSignal): Promise<void> {
    let begun = false
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (!begun) {
          this.position = await this.options.head()
          begun = true
          // What came to be while it had not begun was pushed to nobody.
          for (const live of this.lives) live.missed()
        }
        await this.follow(signal, () => {
          failures = 0
        })
      } catch (error) {
        if (typeOf(error) === 'timeout') failures = 0
        else this.options.onFailure(unavailable(error))
      }
      const wait = failures === 0 ? 0 : Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** failures)
      failures++
      if (wait > 0) await pause(wait, signal)
    }
  }

  /** One subscription, to its end. @throws why it ended, but for `signal` */
  private follow(signal: AbortSignal, confirmed: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const subscription = subscribeAfter(this.options.client, this.position)
      const handing = new Handing((events) => this.push(events))
      const over = new AbortController()
      const end = (error?: unknown) => {
        if (over.signal.aborted) return
        over.abort()
        signal.removeEventListener('abort', abort)
        handing.flush()
        void stop(subscription)
        if (error === undefined) resolve()
        else reject(error)
      }
      const abort = () => end()
      signal.addEventListener('abort', abort)
      if (signal.aborted) end()
      subscription.on('confirmation', confirmed)
      // It stays: an error that comes after the end must not end the process.
      subscription.on('error', end)
      subscription.on('end', () => end(new Error('the event store ended the subscription')))
      subscription.on('data', (resolved) => {
        if (over.signal.aborted) return
        try {
          const recorded = recordedOf(resolved)
          if (recorded) handing.add(recorded)
        } catch (error) {
          end(error)
        }
      })
      void this.watch(over.signal, end)
    })
  }

  private push(events: readonly Recorded[]): void {
    this.position = events.at(-1)?.position ?? this.position
    for (const live of this.lives) live.push(events)
  }

  /** A subscription may stand still without a word: it has not moved though the log went on. */
  private async watch(over: AbortSignal, end: (error: unknown) => void): Promise<void> {
    while (!over.aborted) {
      const { position } = this
      // That the store is away, its end tells.
      const head = await this.options.head().catch(() => position)
      await pause(WATCH_MS, over)
      if (head > position && this.position === position) end(new Error('the subscription stood still'))
    }
  }
}

/** Events of one turn of the event loop, handed over together. */
class Handing {
  private events: Recorded[] = []
  private scheduled = false

  constructor(private readonly push: (events: readonly Recorded[]) => void) {}

  add(event: Recorded): void {
    this.events.push(event)
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => this.flush())
  }

  flush(): void {
    this.scheduled = false
    const { events } = this
    if (events.length === 0) return
    this.events = []
    this.push(events)
  }
}
