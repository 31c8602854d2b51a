/**
 * Appends on their way: one call at a time for each stream. What arrives for a stream meanwhile, each expecting the
 * revision that the one before it will leave, goes together in the next call; so one busy account is not held to one
 * event a round trip.
 *
 * @module
 */
import type { StreamName } from '../domain/ids.ts'
import type { Encoded } from './encoded.ts'
import { type Appended, type Expected, WrongExpectedRevision } from './event-log.ts'

/**
 * Writes all or none at a revision, within `ms` milliseconds.
 *
 * @returns the revision of the last event
 */
export type Write = (
  stream: StreamName,
  expected: Expected,
  events: readonly Encoded[],
  ms: number,
) => Promise<number>

/** How long an append may take in all, in milliseconds: who waits for an answer is told within two seconds. */
const APPEND_MS = 1500
/** What an append that had to wait for others is left at least. */
const LEAST_MS = 300
/** The server takes 1 MiB in one append, with all that it adds. */
const MOST_BYTES = 900_000
const MOST_EVENTS = 500
/** Of an event, beside what it holds. */
const OVERHEAD_BYTES = 100

type Item = {
  readonly stream: StreamName
  readonly expected: Expected
  readonly events: readonly Encoded[]
  readonly bytes: number
  readonly until: number
  /** writes that must be there first and are not yet, but for `behind` */
  waiting: number
  /** the append to the same stream that this one follows */
  behind: Item | undefined
  outcome: 'written' | { readonly error: unknown } | undefined
  resolve(appended: Appended): void
  reject(error: unknown): void
}

export class Lanes {
  private readonly queues = new Map<StreamName, Item[]>()
  private readonly busy = new Set<StreamName>()
  /** appends that are under way, by what their caller got */
  private readonly items = new WeakMap<Promise<unknown>, Item>()

  constructor(private readonly write: Write) {}

  /** See `append` of the port. */
  append(
    stream: StreamName,
    expected: Expected,
    events: readonly Encoded[],
    after: readonly (Promise<unknown> | undefined)[] = [],
  ): Promise<Appended> {
    const { promise, resolve, reject } = Promise.withResolvers<Appended>()
    const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0)
    const item: Item = {
      stream,
      expected,
      events,
      bytes,
      until: performance.now() + APPEND_MS,
      waiting: 0,
      behind: undefined,
      outcome: undefined,
      resolve,
      reject,
    }
    this.items.set(promise, item)
    for (const first of after) if (first) this.follow(item, first)
    this.queueOf(stream).push(item)
    this.pump(stream)
    return promise
  }

  private follow(item: Item, first: Promise<unknown>): void {
    const other = this.items.get(first)
    const fail = (error: unknown) => this.fail(item, error)
    if (other && other.outcome === undefined && leads(other, item)) {
      // It fails with that one at once: a moment later it might be sent, and find its place by somebody else's append.
      item.behind = other
      return
    }
    item.waiting++
    first.then(() => {
      item.waiting--
      this.pump(item.stream)
    }, fail)
  }

  private queueOf(stream: StreamName): Item[] {
    const known = this.queues.get(stream)
    if (known) return known
    const queue: Item[] = []
    this.queues.set(stream, queue)
    return queue
  }

  /** What this was to come after has failed, so it is not sent. */
  private fail(item: Item, error: unknown): void {
    if (item.outcome) return
    item.outcome = { error }
    item.reject(error)
    const queue = this.queueOf(item.stream)
    const at = queue.indexOf(item)
    if (at >= 0) queue.splice(at, 1)
    for (const next of queue.filter(({ behind }) => behind === item)) this.fail(next, error)
    this.tidy(item.stream)
  }

  private pump(stream: StreamName): void {
    if (this.busy.has(stream)) return
    const batch = nextBatch(this.queueOf(stream))
    if (batch.length === 0) {
      this.tidy(stream)
      return
    }
    this.busy.add(stream)
    void this.send(stream, batch).finally(() => {
      this.busy.delete(stream)
      this.pump(stream)
    })
  }

  private tidy(stream: StreamName): void {
    if (this.queues.get(stream)?.length === 0 && !this.busy.has(stream)) this.queues.delete(stream)
  }

  private async send(stream: StreamName, batch: readonly Item[]): Promise<void> {
    const [first] = batch
    if (!first) return
    try {
      const events = batch.flatMap((item) => item.events)
      const last = await this.write(stream, first.expected, events, left(first))
      let revision = last - events.length
      for (const item of batch) {
        revision += item.events.length
        item.outcome = 'written'
        item.resolve({ revision })
      }
    } catch (error) {
      // Some of them may be repeats of what is there, which only they can be told apart: one by one.
      if (error instanceof WrongExpectedRevision && batch.length > 1) return this.sendEach(stream, batch)
      for (const item of batch) this.fail(item, error)
    }
  }

  private async sendEach(stream: StreamName, batch: readonly Item[]): Promise<void> {
    for (const item of batch) {
      const before = item.behind?.outcome
      if (typeof before === 'object') this.fail(item, before.error)
      else await this.send(stream, [item])
    }
  }
}

/** Whether `other` leaves its stream where `item` expects it. */
function leads(other: Item, item: Item): boolean {
  if (other.stream !== item.stream || item.expected === 'no-stream') return false
  const before = other.expected === 'no-stream' ? -1 : other.expected
  return item.expected === before + other.events.length
}

/** Takes from the queue what can be sent now, together: the first that waits for nothing, and those right behind it. */
function nextBatch(queue: Item[]): Item[] {
  const isReady = (item: Item) => item.waiting === 0
  const first = queue.find(
    (item) => isReady(item) && (item.behind === undefined || item.behind.outcome === 'written'),
  )
  if (!first) return []
  const batch = [first]
  let { bytes } = first
  let count = first.events.length
  for (;;) {
    const last = batch.at(-1)
    const next = queue.find((item) => item.behind === last && isReady(item))
    if (!next) break
    bytes += next.bytes
    count += next.events.length
    if (bytes > MOST_BYTES || count > MOST_EVENTS) break
    batch.push(next)
  }
  for (const item of batch) queue.splice(queue.indexOf(item), 1)
  return batch
}

/** About as many bytes as the server counts. */
const sizeOf = ({ event, data, meta }: Encoded): number =>
  Buffer.byteLength(data) + Buffer.byteLength(meta) + event.event.type.length + OVERHEAD_BYTES

const left = ({ until }: Item): number => Math.max(LEAST_MS, until - performance.now())
