/**
 * The stream of server-sent events that notifies a page of changes. The page then reads itself again and replaces its
 * live parts.
 *
 * @module
 */
import { Bell } from '../async/bell.ts'
import { delay } from '../async/delay.ts'
import { parseRunId, type RunId, runStream } from '../domain/ids.ts'
import { isEnded } from '../domain/run.ts'
import { type SseMessage, Streams } from '../http/sse.ts'
import { unlessAway } from '../log/away.ts'
import type { Recorded } from '../log/event-log.ts'
import { accountRoute } from './route.ts'
import { type AccountVisitor, sessionOf } from './visitor.ts'

export const liveStreams = [accountRoute('GET', '/changes', 'viewer', changes)]

/** Limit per person and process. */
const MOST_STREAMS = 50
const streams = new Streams(MOST_STREAMS, 'The live updates of a page failed. The page reconnects.')

/** Events within this time are reported together, in milliseconds. */
const GATHER_MS = 250
/** How often the items of a run that works are counted, in milliseconds: they grow without an event. */
const GROWTH_MS = 2000

async function changes(visitor: AccountVisitor): Promise<Response> {
  const { deps, call, url } = visitor
  const run = parseRunId(url.searchParams.get('run') ?? '')
  const stream = run && runStream(run)
  const concerns = ({ stream: of }: Recorded) =>
    stream === undefined ? of.startsWith('run-') : of === stream
  return streams.answer(deps, call, { owner: visitor.person.personId }, (signal) =>
    messages(visitor, { run, concerns }, signal),
  )
}

/** What a stream reports: changes of one run, or of all. */
type Followed = {
  readonly run: RunId | undefined
  readonly concerns: (recorded: Recorded) => boolean
}

/** Ends when the person is no longer a member of the account, and when the session ends. */
async function* messages(
  visitor: AccountVisitor,
  { run, concerns }: Followed,
  signal: AbortSignal,
): AsyncGenerator<SseMessage> {
  const { deps, accountId, person } = visitor
  const bell = new Bell()
  let changed = false
  let hasEnded = false
  const end = () => {
    hasEnded = true
    bell.ring()
  }
  const silence = deps.tail.on(accountId, (recorded) => {
    const { event } = recorded
    if (event?.type === 'MemberRemoved' && event.data.person_id === person.personId) return end()
    if (!concerns(recorded)) return
    changed = true
    bell.ring()
  })
  signal.addEventListener('abort', end)
  try {
    let items = await itemsSoFar(visitor, run)
    for (let n = 0; !hasEnded; ) {
      await bell.rung(items === undefined ? undefined : GROWTH_MS)
      if (hasEnded) return
      const before = items
      items = await itemsSoFar(visitor, run)
      if (!changed && items === before) continue
      if (!(await sessionOf(visitor))) return
      await delay(GATHER_MS)
      changed = false
      yield { id: String(n++), event: 'change', data: '{}' }
    }
  } finally {
    signal.removeEventListener('abort', end)
    silence()
  }
}

/** How many items a run that works has so far; undefined for other runs, or without a run. */
async function itemsSoFar({ deps, accountId }: AccountVisitor, id: RunId | undefined) {
  const run = id && (await unlessAway(deps.runs.find(id, accountId)))?.state
  return run && !isEnded(run) ? (await deps.runs.items(run)).total : undefined
}
