/**
 * The event feed: what happened, page by page or as a stream. A key sees the events of its account, the operator
 * those of all.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { nextTurn } from '../../async/delay.ts'
import { exampleOf } from '../../catalogue/example.ts'
import { EVENT_NAMES, isEventType } from '../../domain/events.ts'
import type { Principal } from '../../keys/principal.ts'
import { type EventLog, LogReplaced, type Position, type Recorded } from '../../log/event-log.ts'
import { answer } from '../answers.ts'
import { cloudEvent, formatPosition, isKnown, type Known, positionOf } from '../cloud-events.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, endpoint, reply } from '../endpoint.ts'
import { EventSchema, Text } from '../openapi/schemas.ts'
import { invalid } from '../problems.ts'
import { LAST_EVENT_ID, type SseMessage, Streams } from '../sse.ts'

const COMMON = {
  method: 'GET',
  access: { kind: 'key', scope: 'events', operator: true },
  rate: 'read',
  tag: 'Events',
} as const
const DEFAULT_LIMIT = 100
/** Events that are read at once, and in all, for a page of some types: they may lie far apart. */
const READ = 500
const MAX_READ = 5000
/** Streams that an account may have open at once. */
const MAX_STREAMS = 50
/** A stream that brings nothing sends its position this often, in milliseconds. */
const POSITION_EVERY_MS = 4000

const QUERY = {
  after: Text(
    'A position: the `next_after` of a page or the `sequence` of an event. Default: from the start.',
  ),
  types: Text('Only events of these types, by name, separated by commas.', 'RunSucceeded,RunFailed'),
}
const Page = Type.Object({
  events: Type.Array(EventSchema),
  next_after: Text('The `after` of the next page; never null.', '9f2b7c1d4e6a8035.5'),
  caught_up: Type.Boolean({ description: 'Whether this was the end of the log.' }),
})

/** The two calls. */
export function eventEndpoints(deps: Deps): Endpoint[] {
  const streams = new Streams(deps, MAX_STREAMS)
  return [
    endpoint({
      ...COMMON,
      path: '/v1/events',
      id: 'listEvents',
      summary: 'Read events page by page',
      description:
        'In the order of the log. Send `next_after` as the next `after`. A page may be empty and still not be the last: ' +
        'look at `caught_up`. The fields of each type are in /asyncapi.json.',
      query: {
        ...QUERY,
        limit: Type.Integer({ minimum: 1, maximum: 500, description: 'Events per page. Default: 100.' }),
      },
      answers: { 200: reply('A page of events.', Page) },
      handle: (call) => listEvents(deps, call, call.query.limit ?? DEFAULT_LIMIT),
    }),
    endpoint({
      ...COMMON,
      path: '/v1/events/stream',
      id: 'streamEvents',
      summary: 'Stream events as they happen',
      description:
        'Server-Sent Events: past events first, then new ones. `id` is the position, `event` the name of the type, ' +
        '`data` the event. The stream resumes after `Last-Event-ID`. A comment is sent at least every 8 seconds. While ' +
        'there are no events for you, an `id` without data moves your position on; it is not an event.',
      query: QUERY,
      headers: LAST_EVENT_ID,
      answers: {
        200: {
          description: 'The stream.',
          content: { 'text/event-stream': Type.String() },
          example: `id: 9f2b7c1d4e6a8035.5\nevent: CreditsGranted\ndata: ${JSON.stringify(exampleOf(EventSchema))}\n\n`,
        },
      },
      handle: (call) => streamEvents(deps, streams, call),
    }),
  ]
}

async function listEvents(
  { log, feed }: Deps,
  { principal, query }: Pick<Call<typeof QUERY>, 'principal' | 'query'>,
  limit: number,
): Promise<Response> {
  const { account, types, wanted } = selection(principal, query.types)
  const { id } = log
  let after = await positionIn(log, '/after', query.after)
  const events: Known[] = []
  let caughtUp = false
  for (let read = 0; read < MAX_READ && events.length < limit && !caughtUp; ) {
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

async function streamEvents(
  { log, feed }: Deps,
  streams: Streams,
  call: Call<typeof QUERY>,
): Promise<Response> {
  const { request, principal, query } = call
  const { account, wanted } = selection(principal, query.types)
  const { id } = log
  const last = await positionIn(log, '/Last-Event-ID', request.headers.get('last-event-id') ?? undefined)
  const after = last ?? (await positionIn(log, '/after', query.after))
  async function* messages(signal: AbortSignal): AsyncGenerator<SseMessage> {
    if (log.id !== id) throw new LogReplaced()
    let told = after
    let toldAt = performance.now()
    for await (const { events, reached } of feed.follow(account, after, signal)) {
      for (const recorded of events.filter(wanted)) {
        if (signal.aborted) return
        yield messageOf(recorded, id)
        told = recorded.position
        toldAt = performance.now()
      }
      // Nothing for this client: now and then it is told the position, to resume from there.
      const isDue = events.length === 0 || performance.now() - toldAt >= POSITION_EVERY_MS
      if (!isDue || reached === null || reached === told) continue
      yield { id: formatPosition(reached, id) }
      told = reached
      toldAt = performance.now()
    }
  }
  return streams.answer(call, messages)
}

function messageOf(recorded: Known, logId: string): SseMessage {
  const event = cloudEvent(recorded, logId)
  return { id: event.sequence, event: recorded.event.type, data: JSON.stringify(event) }
}

/** Which events a call is about: of its account, of its types, and of a type that this program knows. */
function selection(principal: Principal, typeNames: string | undefined) {
  const account = principal.kind === 'key' ? principal.accountId : undefined
  const types = typesIn(typeNames)
  const wanted = (recorded: Recorded): recorded is Known =>
    isKnown(recorded) &&
    (account === undefined || recorded.meta.account_id === account) &&
    (types === undefined || types.has(recorded.type))
  return { account, types, wanted }
}

function typesIn(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined
  const names = text.split(',').map((name) => name.trim())
  if (names.every(isEventType)) return new Set(names)
  const detail = `must be one or more of ${EVENT_NAMES.join(', ')}, separated by commas`
  throw invalid([{ pointer: '/types', code: 'not-allowed', detail }])
}

/** A position that a client sent; null without one, and for the place before the first event. */
async function positionIn(
  log: EventLog,
  pointer: string,
  text: string | undefined,
): Promise<Position | null> {
  const position = text === undefined ? 0 : await positionOf(log, text, pointer)
  return position === 0 ? null : position
}
