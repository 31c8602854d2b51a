/**
 * The events of one run, as they happen.
 *
 * @module
 */
import { isTerminalEvent } from '../../domain/events.ts'
import { type RunId, runStream } from '../../domain/ids.ts'
import { isEnded } from '../../domain/run.ts'
import type { KeyPrincipal } from '../../keys/principal.ts'
import type { Position } from '../../log/event-log.ts'
import { cloudEvent, isKnown, positionOf } from '../cloud-events.ts'
import type { Deps } from '../deps.ts'
import type { Call, Endpoint } from '../endpoint.ts'
import { EventSchema } from '../openapi/schemas.ts'
import type { SseMessage } from '../sse.ts'
import { Streams } from '../streams.ts'
import { findSeen, RUNS } from './find-run.ts'

/** Streams that an account may have open at once: more than anyone follows runs with. */
const MOST_STREAMS = 1000
/** Events that are read ahead of a slow client. */
const PAGE = 500

export function runEvents(deps: Deps): Endpoint {
  const streams = new Streams(deps, MOST_STREAMS)
  return {
    method: 'GET',
    path: '/v1/runs/:run_id/events',
    ...RUNS,
    doc: {
      id: 'streamRunEvents',
      tag: 'Runs',
      summary: 'Follow the events of a run',
      description:
        'Server-Sent Events: what has happened, then what happens, up to the event that ends the run. `id` is the ' +
        "event's `sequence`, `event` its name, `data` the event as CloudEvents 1.0. A comment comes at least every 8 " +
        'seconds.',
      headers: [
        {
          name: 'Last-Event-ID',
          description: 'The last `id` that was received: the stream goes on behind it.',
          schema: { type: 'string' },
        },
      ],
      answers: {
        200: { description: 'The stream.', contentType: 'text/event-stream', schema: EventSchema },
        204: { description: 'The run has ended, and Last-Event-ID was its last event.' },
      },
      problems: ['not-found', 'validation-failed'],
    },
    handle: (call: Call<KeyPrincipal>) => follow(deps, streams, call),
  }
}

async function follow(deps: Deps, streams: Streams, call: Call<KeyPrincipal>): Promise<Response> {
  const { state, position } = await findSeen(deps, call)
  const last = call.request.headers.get('last-event-id')
  const after = last === null ? null : await positionOf(deps.log, last, '/Last-Event-ID')
  // Nothing comes behind the event that ends a run.
  const isOver = isEnded(state) && position !== null && after !== null && position <= after
  if (isOver) return new Response(null, { status: 204 })
  return streams.answer(call, (signal) => messages(deps, state.runId, after, signal))
}

async function* messages(
  deps: Deps,
  runId: RunId,
  after: Position | null,
  signal: AbortSignal,
): AsyncGenerator<SseMessage> {
  const stream = runStream(runId)
  let news = Promise.withResolvers<void>()
  const wake = () => news.resolve()
  const silence = deps.tail.on(stream, wake)
  signal.addEventListener('abort', wake)
  try {
    for (let next = 0; !signal.aborted; ) {
      // Before the read: what comes during it wakes the next round.
      news = Promise.withResolvers<void>()
      const page = await deps.log.readStream(stream, next, PAGE)
      for (const recorded of page) {
        next = recorded.revision + 1
        if (isKnown(recorded) && recorded.position > (after ?? 0)) {
          const event = cloudEvent(recorded, deps.log.id)
          yield { id: event.sequence, event: recorded.type, data: JSON.stringify(event) }
        }
        if (isTerminalEvent(recorded.type)) return
      }
      if (page.length < PAGE && !signal.aborted) await news.promise
    }
  } finally {
    silence()
    signal.removeEventListener('abort', wake)
  }
}
