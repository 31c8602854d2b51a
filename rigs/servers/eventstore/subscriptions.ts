/**
 * Subscriptions: first stored events, as fast as the client reads; then live events, where slow clients are dropped.
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

/** The behaviour of subscriptions, which differs between server versions. */
export type SubscriptionManners = {
  /** Whether the client is told when it has caught up; servers before 23.10 don't do this. */
  readonly caughtUp: boolean
  /**
   * Whether a checkpoint at the log's end has the position of the next event, so that a client that resumes there loses
   * that event. Some servers have this bug.
   */
  readonly checkpointBeyondEnd: boolean
}

/** Number of events that a live subscriber may be behind. */
const LIVE_BUFFER = 32

/** The error of a dropped subscription. */
export const tooSlow = () =>
  timedOut('Consumer too slow to handle event while live. Client resubscription required.')

/** Serves a subscription until the call ends. */
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
  /** Scans one event and adds the resulting frames for the client. */
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
  // Not sent for a missing stream.
  if (manners.caughtUp && (!stream || stream.events.length > 0)) call.send(caughtUp())
  // There is no await between here and `listen`, so no event can arrive in between.
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

/** @param look adds the frames that result from an event to a list */
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
    // In a separate turn: events that are written at once reach the buffer at once.
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
