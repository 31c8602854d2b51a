/**
 * The event feed: what happened, page by page or as a stream. A key sees the events of its account, the operator
 * those of all.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { nextTurn } from '../../async/delay.ts'
import { EVENT_NAMES, isEventType } from '../../domain/events.ts'
import type { Principal } from '../../keys/principal.ts'
import { type EventLog, LogReplaced, type Position, type Recorded } from '../../log/event-log.ts'
import { answer } from '../answers.ts'
import { cloudEvent, formatPosition, isKnown, type Known, positionOf } from '../cloud-events.ts'
import type { Deps } from '../deps.ts'
import type { Access, Call, Endpoint } from '../endpoint.ts'
import { EVENT } from '../openapi/examples.ts'
import { EventSchema } from '../openapi/schemas.ts'
import { invalid } from '../problems.ts'
import type { SseMessage } from '../sse.ts'
import { Streams } from '../streams.ts'

const ACCESS: Access = { kind: 'key', scope: 'events', operator: true }
const DEFAULT_LIMIT = 100
/** Events read at once, and in all, for a page of some types: they may lie far apart. */
const READ = 500
const MOST_READ = 5000
/** Streams that an account may have open at once. */
const MOST_STREAMS = 50
/** A stream that brings nothing says how far it is so often, in milliseconds. */
const MARK_EVERY_MS = 4000

const AFTER = {
  name: 'after',
  description:
    'A position: the `next_after` of a page or the `sequence` of an event. From the start without it',
  schema: Type.String(),
}
const TYPES = {
  name: 'types',
  description: 'Only events of these types: their names, with commas between them',
  schema: Type.String(),
  example: 'RunSucceeded,RunFailed',
}

/** The two calls. */
export function feedEndpoints(deps: Deps): Endpoint[] {
  const streams = new Streams(deps, MOST_STREAMS)
  return [
    {
      method: 'GET',
      path: '/v1/events',
      access: ACCESS,
      rate: 'read',
      doc: {
        id: 'listEvents',
        tag: 'Events',
        summary: 'Read events page by page',
        description:
          'In the order of the log. Send `next_after` as the next `after`; a page may be empty and yet not be the last ' +
          'one: `caught_up` tells. The fields of each type are in /asyncapi.json.',
        query: [
          AFTER,
          TYPES,
          {
            name: 'limit',
            description: 'How many events at most; 100 by default',
            schema: Type.Integer({ minimum: 1, maximum: 500 }),
          },
        ],
        answers: {
          200: {
            description: 'One page.',
            schema: Type.Object({
              events: Type.Array(EventSchema),
              next_after: Type.String({ description: 'Where the next page begins; never null' }),
              caught_up: Type.Boolean({ description: 'There was nothing more' }),
            }),
            example: { events: [EVENT], next_after: EVENT.sequence, caught_up: true },
          },
        },
        problems: ['store-unavailable'],
      },
      handle: (call) => listEvents(deps, call),
    },
    {
      method: 'GET',
      path: '/v1/events/stream',
      access: ACCESS,
      rate: 'read',
      doc: {
        id: 'streamEvents',
        tag: 'Events',
        summary: 'Follow events as they happen',
        description:
          'Server-Sent Events: what is there first, then what comes. `id` is the position, `event` the name of the ' +
          'type, `data` the event. It resumes after `Last-Event-ID`; a comment shows that it lives at least every 8 seconds. ' +
          'While nothing comes, an `id` without data says now and then how far it is, which is no event.',
        query: [AFTER, TYPES],
        headers: [
          {
            name: 'Last-Event-ID',
            description: 'The last `id` that was received; it goes before `after`',
            schema: { type: 'string' },
          },
        ],
        answers: {
          200: {
            description: 'The stream.',
            contentType: 'text/event-stream',
            schema: Type.String(),
            example: `id: ${EVENT.sequence}\nevent: CreditsCharged\ndata: ${JSON.stringify(EVENT)}\n\n`,
          },
        },
        problems: ['store-unavailable'],
      },
      handle: (call) => streamEvents(deps, streams, call),
    },
  ]
}

async function listEvents({ log, feed }: Deps, { principal, query }: Call): Promise<Response> {
  const { account, types, wanted } = selection(principal, query)
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT)
  const { id } = log
  let after = await positionIn(log, '/after', query.get('after'))
  const events: Known[] = []
  let caughtUp = false
  for (let read = 0; read < MOST_READ && events.length < limit && !caughtUp; ) {
    const size = types ? READ : limit - events.length
    const page = await feed.page(account, after, size)
    read += size
    // Other requests get their turn between two pages.
    if (page.events.length === READ) await nextTurn()
    const found = page.events.filter(wanted)
    const rest = limit - events.length
    events.push(...found.slice(0, rest))
    caughtUp = page.caughtUp && found.length <= rest
    after = found.length > rest ? (events.at(-1)?.position ?? after) : page.reached
  }
  return answer({
    events: events.map((event) => cloudEvent(event, id)),
    next_after: formatPosition(after ?? 0, id),
    caught_up: caughtUp,
  })
}

async function streamEvents({ log, feed }: Deps, streams: Streams, call: Call): Promise<Response> {
  const { request, principal, query } = call
  const { account, wanted } = selection(principal, query)
  const { id } = log
  const last = await positionIn(log, '/Last-Event-ID', request.headers.get('last-event-id'))
  const after = last ?? (await positionIn(log, '/after', query.get('after')))
  async function* messages(signal: AbortSignal): AsyncGenerator<SseMessage> {
    if (log.id !== id) throw new LogReplaced()
    let said = after
    let saidAt = performance.now()
    for await (const { events, reached } of feed.follow(account, after, signal)) {
      for (const recorded of events.filter(wanted)) {
        if (signal.aborted) return
        yield messageOf(recorded, id)
        said = recorded.position
        saidAt = performance.now()
      }
      // Nothing for this client: now and then it is told how far the stream is, to go on from there.
      const isDue = events.length === 0 || performance.now() - saidAt >= MARK_EVERY_MS
      if (!isDue || reached === null || reached === said) continue
      yield { id: formatPosition(reached, id) }
      said = reached
      saidAt = performance.now()
    }
  }
  return streams.answer(call, messages)
}

function messageOf(recorded: Known, logId: string): SseMessage {
  const event = cloudEvent(recorded, logId)
  return { id: event.sequence, event: recorded.event.type, data: JSON.stringify(event) }
}

/** Which events a call is about: of its account, of its types, and of a type that this program knows. */
function selection(principal: Principal, query: URLSearchParams) {
  const account = principal.kind === 'key' ? principal.accountId : undefined
  const types = typesIn(query.get('types'))
  const wanted = (recorded: Recorded): recorded is Known =>
    isKnown(recorded) &&
    (account === undefined || recorded.meta.account_id === account) &&
    (types === undefined || types.has(recorded.type))
  return { account, types, wanted }
}

function typesIn(text: string | null): ReadonlySet<string> | undefined {
  if (text === null) return undefined
  const names = text.split(',').map((name) => name.trim())
  if (names.every(isEventType)) return new Set(names)
  throw invalid([
    {
      pointer: '/types',
      code: 'not-allowed',
      detail: `must be one or more of ${EVENT_NAMES.join(', ')}, with commas between them`,
    },
  ])
}

/** A position that a client sent; null without one, and for the place before the first event. */
async function positionIn(log: EventLog, pointer: string, text: string | null): Promise<Position | null> {
  const position = text === null ? 0 : await positionOf(log, text, pointer)
  return position === 0 ? null : position
}
