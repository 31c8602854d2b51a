/**
 * Subscriptions: first what is there, as fast as the client reads; then what comes, and whoever is slow then is dropped.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { caughtUp, checkpoint, confirmation } from './answers.ts'
import { joined, type Slice } from './arena.ts'
import { type Faults, timedOut } from './faults.ts'
import { type Call, CallError, STATUS } from './grpc.ts'
import type { Log, StoredEvent } from './log.ts'
import { BATCH, indexAt, isPlace, passes, streamDeleted } from './reading.ts'
import type { ReadRequest } from './requests.ts'
import { firstVisible } from './streams.ts'

/** How a subscription behaves; servers differ by their version. */
export type SubscriptionManners = {
  /** Whether the client hears of it when it has caught up; servers before 23.10 don't say it. */
  readonly caughtUp: boolean
  /**
   * Whether a checkpoint at the log's end names the position of the next event, so that it is lost to who resumes there.
   * Some servers have this fault.
   */
  readonly checkpointBeyondEnd: boolean
}

/** A live subscriber may be so many events behind. */
const LIVE_BUFFER = 32

/** What the server says to whom it drops. */
export const tooSlow = () =>
  timedOut('Consumer too slow to handle event while live. Client resubscription required.')

/** Serves a subscription until the call is over. */
export async function answerSubscription(
  call: Call,
  request: ReadRequest,
  log: Log,
  faults: Faults,
  manners: SubscriptionManners,
): Promise<void> {
  const stream = request.stream === null ? null : log.stream(request.stream)
  if (stream?.tombstoned) throw streamDeleted(stream.name)
  const events = () => (request.stream === null ? log.all : log.stream(request.stream).events)
  if (!stream && !isPlace(log, request.from)) {
    throw new CallError(STATUS.unknown, 'Exception was thrown by handler.')
  }
  call.send(confirmation(randomUUID()))

  let cursor = firstIndex(request, log)
  let scanned = 0
  const every = request.filter?.checkpointEvery ?? Number.POSITIVE_INFINITY
  /** Looks at one event and adds what the client gets because of it. */
  const look = (event: StoredEvent, out: Slice[]) => {
    if (passes(request.filter, event)) out.push(event.slice)
    if (++scanned < every) return
    scanned = 0
    const beyond = manners.checkpointBeyondEnd && event === log.all.at(-1)
    out.push(whole(checkpoint(beyond ? log.end : event.position)))
  }

  while (cursor < events().length && !call.over) {
    const out: Slice[] = []
    const end = Math.min(cursor + BATCH, events().length)
    for (; cursor < end; cursor++) look(events()[cursor]!, out)
    for (const bytes of joined(out)) call.send(bytes)
    await call.drained()
    await faults.thawed()
  }
  // Of a stream that never was it is not said.
  if (manners.caughtUp && (!stream || stream.events.length > 0)) call.send(caughtUp())
  // From here to `listen` nothing waits, so no event can come in between.
  await serveLive(call, log, faults, (event, out) => {
    const index = request.stream === null ? event.index : event.revision
    if (request.stream !== null && event.stream.name !== request.stream) return
    if (index < cursor) return
    look(event, out)
  })
}

function firstIndex({ stream, from }: ReadRequest, log: Log): number {
  if (stream === null) {
    if (from === 'start') return 0
    return from === 'end' ? log.all.length : indexAt(log.all, from + 1)
  }
  const { events } = log.stream(stream)
  const first = from === 'start' ? 0 : from === 'end' ? events.length : from + 1
  return Math.max(first, firstVisible(log.stream(stream)))
}

/** @param look adds to a list what the client gets because of an event */
async function serveLive(
  call: Call,
  log: Log,
  faults: Faults,
  look: (event: StoredEvent, out: Slice[]) => void,
): Promise<void> {
  const queue: Slice[] = []
  let slow = false
  let wake = () => {}
  const stop = log.listen((events) => {
    for (const event of events) {
      if (queue.length > LIVE_BUFFER) slow = true
      else look(event, queue)
    }
    wake()
  })
  call.onClosed(() => {
    stop()
    wake()
  })
  while (!call.over) {
    if (queue.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    // A turn of its own: what is written at once meets the buffer at once.
    await (faults.latency > 0 ? faults.late() : turn())
    await faults.thawed()
    for (const bytes of joined(queue.splice(0))) call.send(bytes)
    if (slow) {
      stop()
      call.end(tooSlow())
    }
    await call.drained()
  }
}

const whole = (block: Buffer): Slice => ({ block, start: 0, end: block.length })
