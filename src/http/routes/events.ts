/**
 * Event endpoints: the feed, in pages or as a stream, and the live events of one run. A key sees the events of its
 * account. The operator sees the events of all accounts.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { Bell } from '../../async/bell.ts'
import { clock } from '../../async/clock.ts'
import { nextTurn } from '../../async/delay.ts'
import { exampleOf } from '../../catalogue/example.ts'
import { EVENT_NAMES, isEventType, isTerminalEvent } from '../../domain/events.ts'
import { type RunId, runStream } from '../../domain/ids.ts'
import { isEnded } from '../../domain/run.ts'
import { cloudEvent, formatPosition, isKnown, type Known, parsePosition } from '../../feed/cloud-events.ts'
import type { Principal } from '../../keys/principal.ts'
import { type EventLog, LogReplaced, type Position, type Recorded } from '../../log/event-log.ts'
import { Text } from '../../schema.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, group, reply } from '../endpoint.ts'
import { EventSchema } from '../openapi/schemas.ts'
import { invalidAt } from '../problems.ts'
import { type AnswerStream, keyStreams, LAST_EVENT_ID, type SseMessage } from '../sse.ts'
import { findRun, runRoute } from './one-run.ts'

const eventRoute = group({
  access: { kind: 'key', scope: 'events', operator: true },
  rate: 'read',
  tag: 'Events',
})
const DEFAULT_LIMIT = 100
/** Events read per batch, and in total, for a page with a type filter: matching events may be far apart. */
const READ = 500
const MAX_READ = 5000
/** Maximum number of open streams of an account. */
const MAX_STREAMS = 50
/** Maximum number of open run event streams of an account: more than anyone needs. */
const MAX_RUN_STREAMS = 1000
/** Events of a run that are read ahead for a slow client. */
const RUN_PAGE = 500
/** Interval at which an idle stream sends its position, in milliseconds. */
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

/** The two feed calls. */
export function eventEndpoints(deps: Deps): Endpoint[] {
  const answerStream = keyStreams(deps, MAX_STREAMS)
  return [
    eventRoute('GET', '/v1/events', {
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
    eventRoute('GET', '/v1/events/stream', {
      id: 'streamEvents',
      summary: 'Stream events as they happen',
      description:
        'Server-Sent Events: past events first, then new ones. `id` is the position, `event` the name of the type, ' +
        '`data` the event. The stream resumes after `Last-Event-ID`. A comment is sent at least every 8 seconds. While ' +
        'there are no events for you, an `id` without data advances your position; it is not an event.',
      query: QUERY,
      headers: LAST_EVENT_ID,
      answers: {
        200: {
          description: 'The stream.',
          content: { 'text/event-stream': Type.String() },
          example: `id: 9f2b7c1d4e6a8035.5\nevent: CreditsGranted\ndata: ${JSON.stringify(exampleOf(EventSchema))}\n\n`,
        },
      },
      handle: (call) => streamEvents(deps, answerStream, call),
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
  let after = await positionOf(log, '/after', query.after)
  const events: Known[] = []
  let caughtUp = false
  for (let read = 0; read < MAX_READ && events.length < limit && !caughtUp; ) {
    const size = types ? READ : limit - events.length
    const page = await feed.page(account, after, size)
    read += size
    // Yields to other requests between two pages.
    if (page.events.length === READ) await nextTurn()
    const selected = page.events.filter(wanted)
    const rest = limit - events.length
    events.push(...selected.slice(0, rest))
    caughtUp = page.caughtUp && selected.length <= rest
    after = selected.length > rest ? (events.at(-1)?.position ?? after) : page.reached
  }
  return answer({
    events: events.map((event) => cloudEvent(event, id)),
    next_after: formatPosition(after ?? 0, id),
    caught_up: caughtUp,
  })
}

async function streamEvents(
  { log, feed }: Deps,
  answerStream: AnswerStream,
  call: Call<typeof QUERY>,
): Promise<Response> {
  const { request, principal, query } = call
  const { account, wanted } = selection(principal, query.types)
  const { id } = log
  const last = await positionOf(log, '/Last-Event-ID', request.headers.get('last-event-id'))
  const after = last ?? (await positionOf(log, '/after', query.after))
  async function* messages(signal: AbortSignal): AsyncGenerator<SseMessage> {
    if (log.id !== id) throw new LogReplaced()
    let toldAt = clock.monotonic()
    for await (const { events, reached } of feed.follow(account, after, signal)) {
      for (const recorded of events.filter(wanted)) {
        if (signal.aborted) return
        yield messageOf(recorded, id)
        toldAt = clock.monotonic()
      }
      // No matching events: sends the position from time to time, so that the client can resume from there.
      const isDue = events.length === 0 || clock.monotonic() - toldAt >= POSITION_EVERY_MS
      if (!isDue || reached === null) continue
      yield { id: formatPosition(reached, id) }
      toldAt = clock.monotonic()
    }
  }
  return answerStream(call, messages)
}

function messageOf(recorded: Known, logId: string): SseMessage {
  const event = cloudEvent(recorded, logId)
  return { id: event.sequence, event: recorded.event.type, data: JSON.stringify(event) }
}

/** Selects the events of a call: events of its account and of its types, if this program knows the type. */
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
  throw invalidAt('/types', 'not-allowed', detail)
}

/** The events of one run, up to its terminal event. */
export function runEvents(deps: Deps): Endpoint {
  const answerStream = keyStreams(deps, MAX_RUN_STREAMS)
  return runRoute('GET', '/v1/runs/:run_id/events', {
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
    handle: async (call) => {
      const { state, position } = await findRun(deps, call)
      const after = await positionOf(deps.log, '/Last-Event-ID', call.request.headers.get('last-event-id'))
      // No events follow the terminal event of a run.
      const isComplete = isEnded(state) && position !== null && after !== null && position <= after
      if (isComplete) return new Response(null, { status: 204 })
      return answerStream(call, (signal) => runMessages(deps, state.runId, after, signal))
    },
  })
}

async function* runMessages(
  deps: Deps,
  runId: RunId,
  after: Position | null,
  signal: AbortSignal,
): AsyncGenerator<SseMessage> {
  const stream = runStream(runId)
  // The bell remembers events that arrive during a read until the next wait.
  const bell = new Bell()
  const ring = () => bell.ring()
  const stopListening = deps.tail.on(stream, ring)
  signal.addEventListener('abort', ring)
  try {
    for (let next = 0; !signal.aborted; ) {
      const page = await deps.log.readStream(stream, next, RUN_PAGE)
      for (const recorded of page) {
        next = recorded.revision + 1
        if (isKnown(recorded) && recorded.position > (after ?? 0)) yield messageOf(recorded, deps.log.id)
        if (isTerminalEvent(recorded.type)) return
      }
      if (page.length < RUN_PAGE && !signal.aborted) await bell.rung()
    }
  } finally {
    stopListening()
    signal.removeEventListener('abort', ring)
  }
}

/**
 * Validates the position that a client sent.
 *
 * @param pointer names the parameter: `/after`, `/Last-Event-ID`
 * @returns null without a position, and for the position before the first event
 * @throws {Problem} 422 if it is not a position of this log, or if the log has not reached it: a subscriber that
 *   resumed from there would miss the events before it
 */
async function positionOf(
  log: EventLog,
  pointer: string,
  text: string | null | undefined,
): Promise<Position | null> {
  if (text === null || text === undefined) return null
  const position = parsePosition(text, log.id)
  if (position !== undefined && (await log.knows(position))) return position === 0 ? null : position
  throw invalidAt(pointer, 'bad-format', 'must be a position in this log; start again without it')
}
