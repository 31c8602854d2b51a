/**
 * The stream of server-sent events that notifies a page of changes. The page then reads itself again and replaces its
 * live parts.
 *
 * @module
 */
import { Bell } from '../async/bell.ts'
import { delay } from '../async/delay.ts'
import { parseRunId, runStream } from '../domain/ids.ts'
import { type SseMessage, Streams } from '../http/sse.ts'
import type { Recorded } from '../log/event-log.ts'
import { accountRoute } from './route.ts'
import { type AccountVisitor, sessionOf } from './visitor.ts'

export const liveStreams = [accountRoute('GET', '/changes', 'viewer', changes)]

/** Limit per person and process. */
const MOST_STREAMS = 50
const streams = new Streams(MOST_STREAMS, 'The live updates of a page failed. The page reconnects.')

/** Events within this time are reported together, in milliseconds. */
const GATHER_MS = 250

async function changes(visitor: AccountVisitor): Promise<Response> {
  const { deps, call, url } = visitor
  const run = parseRunId(url.searchParams.get('run') ?? '')
  const stream = run && runStream(run)
  const concerns = ({ stream: of }: Recorded) =>
    stream === undefined ? of.startsWith('run-') : of === stream
  return streams.answer(deps, call, { owner: visitor.person.personId }, (signal) =>
    messages(visitor, concerns, signal),
  )
}

/** Ends when the person is no longer a member of the account, and when the session ends. */
async function* messages(
  visitor: AccountVisitor,
  concerns: (recorded: Recorded) => boolean,
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
    for (let n = 0; !hasEnded; ) {
      await bell.rung()
      if (hasEnded || !(await sessionOf(visitor))) return
      await delay(GATHER_MS)
      if (!changed) continue
      changed = false
      yield { id: String(n++), event: 'change', data: '{}' }
    }
  } finally {
    signal.removeEventListener('abort', end)
    silence()
  }
}
