/**
 * The events of one run, as they happen.
 *
 * @module
 */
import { isTerminalEvent } from '../../domain/events.ts'
import { type RunId, runStream } from '../../domain/ids.ts'
import { isEnded } from '../../domain/run.ts'
import type { Position } from '../../log/event-log.ts'
import { cloudEvent, isKnown, positionOf } from '../cloud-events.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, endpoint } from '../endpoint.ts'
import { EventSchema } from '../openapi/schemas.ts'
import { LAST_EVENT_ID, type SseMessage, Streams } from '../sse.ts'
import { findSeen, RUNS } from './find-run.ts'

/** Streams that an account may have open at once: more than anyone needs to follow runs. */
const MAX_STREAMS = 1000
/** Events that are read ahead of a slow client. */
const PAGE = 500

export function runEvents(deps: Deps): Endpoint {
  const streams = new Streams(deps, MAX_STREAMS)
  return endpoint({
    ...RUNS,
    method: 'GET',
    path: '/v1/runs/:run_id/events',
    id: 'streamRunEvents',
    summary: 'Stream the events of a run',
    description:
      'Server-Sent Events: past events first, then new ones, up to the event that ends the run. `id` is the ' +
      "event's `sequence`, `event` its name, `data` the event as CloudEvents 1.0. A comment is sent at least every 8 " +
      'seconds.',
    headers: LAST_EVENT_ID,
    answers: {
      200: { description: 'The stream.', content: { 'text/event-stream': EventSchema } },
      204: { description: 'The run has ended, and Last-Event-ID was its last event.' },
    },
    handle: (call) => follow(deps, streams, call),
  })
}

async function follow(deps: Deps, streams: Streams, call: Call): Promise<Response> {
  const { state, position } = await findSeen(deps, call)
  const last = call.request.headers.get('last-event-id')
  const after = last === null ? null : await positionOf(deps.log, last, '/Last-Event-ID')
  // Nothing comes after the event that ends a run.
  const isComplete = isEnded(state) && position !== null && after !== null && position <= after
  if (isComplete) return new Response(null, { status: 204 })
  return streams.answer(call, (signal) => messages(deps, state.runId, after, signal))
}

async function* messages(
  deps: Deps,
  runId: RunId,
  after: Position | null,
  signal: AbortSignal,
): AsyncGenerator<SseMessage> {
  const stream = runStream(runId)
  let changed = Promise.withResolvers<void>()
  const wake = () => changed.resolve()
  const stopListening = deps.tail.on(stream, wake)
  signal.addEventListener('abort', wake)
  try {
    for (let next = 0; !signal.aborted; ) {
      // Before the read: what comes during it wakes the next round.
      changed = Promise.withResolvers<void>()
      const page = await deps.log.readStream(stream, next, PAGE)
      for (const recorded of page) {
        next = recorded.revision + 1
        if (isKnown(recorded) && recorded.position > (after ?? 0)) {
          const event = cloudEvent(recorded, deps.log.id)
          yield { id: event.sequence, event: recorded.type, data: JSON.stringify(event) }
        }
        if (isTerminalEvent(recorded.type)) return
      }
      if (page.length < PAGE && !signal.aborted) await changed.promise
    }
  } finally {
    stopListening()
    signal.removeEventListener('abort', wake)
  }
}
