/**
 * The one live subscription of a process, which passes events to all live subscribers. It accepts events as fast as the
 * server sends them, since the server drops a subscription that is 32 events behind. After any end it restarts from the
 * last event that it passed on.
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
  /** the position of our last event, 0 if there is none */
  readonly head: () => Promise<number>
  /** checks that the log is still the same; throws {@link LogReplaced} otherwise */
  readonly check: () => Promise<void>
  /** called with each received event */
  readonly saw: (event: Recorded) => void
  /**
   * called when the subscription ends for a reason other than a slow reader: for the first of consecutive failures,
   * then for every 20th. The feed restarts by itself
   */
  readonly onFailure: (error: unknown) => void
}

const RETRY_MS = 50
/** Short, because a returning server may have been restored from a backup, to be detected within a second. */
const LONGEST_RETRY_MS = 500
/** Of consecutive failures, one in this number is reported. */
const TELL_EVERY = 20
/** An event must arrive within this time after it was written, in milliseconds. */
const WATCH_MS = 1000
/** Events that a filtered subscription examines between two signs of life, in units of 32. */
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
      // Only a sign of life: a checkpoint's position may be that of the next event (KurrentDB issue 4970).
      checkpointReached: async () => alive?.(),
    }),
  })
}

export class EventstoreFeed {
  private readonly lives = new Set<Live>()
  private stopped: AbortController | undefined
  private running: Promise<void> = Promise.resolve()
  /** all events up to this position were passed on */
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
          // Events written before this moment were not pushed.
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

  /** Runs one subscription to its end. @throws the reason of its end, unless `signal` aborted it */
  private follow(signal: AbortSignal, confirmed: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const subscription = subscribeAfter(this.options.client, this.position)
      let events: Recorded[] = []
      // Passes on the events of one turn of the event loop together.
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
      // This listener is never removed: an unhandled error after the end would crash the process.
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
   * Detects a subscription that stops silently: it delivers nothing although the log grows or was restored. If the
   * store becomes unavailable, the subscription ends by itself.
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
        end(new Error('the subscription delivers no events, although the log has grown'))
    }
  }
}
