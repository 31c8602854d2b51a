/**
 * The one live subscription of a process. It takes events as fast as the server sends them, since the server drops a
 * subscription that is 32 events behind, and passes them to all live subscribers. Whatever ends it, it begins again from
 * the last event that it passed on.
 *
 * @module
 */
import {
  type AllStreamSubscription,
  type EventStoreDBClient,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import { delay } from '../../async/delay.ts'
import { setImmediate } from '../../async/timers.ts'
import { LogReplaced, type Recorded } from '../event-log.ts'
import type { Live } from '../live.ts'
import { stop, typeOf, unavailable } from './calls.ts'
import { PREFIXES, positionPair, recordedOf } from './events.ts'

export type FeedOptions = {
  readonly client: EventStoreDBClient
  /** the position of our last event, 0 without one */
  readonly head: () => Promise<number>
  /** whether the log is the one that it was; throws {@link LogReplaced} when it is not */
  readonly check: () => Promise<void>
  /** told of each event that comes */
  readonly saw: (event: Recorded) => void
  /**
   * called for ends that are more than a slow reader's: for the first of a row and then now and then. The feed begins
   * again by itself
   */
  readonly onFailure: (error: unknown) => void
}

const RETRY_MS = 50
/** Short, since a server that is back may have been set back: that should be known within a second. */
const LONGEST_RETRY_MS = 500
/** One of so many failures in a row is reported. */
const TELL_EVERY = 20
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
        await this.options.check()
        await this.follow(signal, () => {
          failures = 0
        })
      } catch (error) {
        if (error instanceof LogReplaced) {
          for (const live of this.lives) live.fail(error)
          begun = false
          failures = 0
        } else if (typeOf(error) === 'timeout') failures = 0
        else if (failures % TELL_EVERY === 0) this.options.onFailure(unavailable(error))
      }
      const wait = failures === 0 ? 0 : Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** failures)
      failures++
      if (wait > 0) await delay(wait, signal)
    }
  }

  /** One subscription, to its end. @throws why it ended, but for `signal` */
  private follow(signal: AbortSignal, confirmed: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const subscription = subscribeAfter(this.options.client, this.position)
      let events: Recorded[] = []
      // Those of one turn of the event loop together.
      const handOver = () => {
        if (events.length > 0) this.push(events)
        events = []
      }
      const over = new AbortController()
      const end = (error?: unknown) => {
        if (over.signal.aborted) return
        over.abort()
        signal.removeEventListener('abort', abort)
        handOver()
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
      subscription.on('end', () => end(new Error('EventStoreDB ended the subscription')))
      subscription.on('data', (resolved) => {
        if (over.signal.aborted) return
        try {
          const recorded = recordedOf(resolved)
          if (!recorded) return
          this.options.saw(recorded)
          if (events.push(recorded) === 1) setImmediate(handOver)
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

  /**
   * A subscription can stop silently: it brings nothing though the log goes on, or was restored. When the store is away,
   * it ends by itself.
   */
  private async watch(over: AbortSignal, end: (error: unknown) => void): Promise<void> {
    const { head, check } = this.options
    while (!over.aborted) {
      const { position } = this
      const last = await head().catch(() => position)
      for (let half = 0; half < 2; half++) {
        await delay(WATCH_MS / 2, over)
        if (over.aborted) return
        await check().catch((error) => error instanceof LogReplaced && end(error))
      }
      if (last > position && this.position === position)
        end(new Error('the subscription brings nothing, though the log has gone on'))
    }
  }
}
