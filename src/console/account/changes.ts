/**
 * Tells a page that what it shows has changed: it asks for itself again then, and takes over its live parts.
 *
 * @module
 */
import { setTimeout } from '../../async/timers.ts'
import { type PersonId, parseRunId, runStream } from '../../domain/ids.ts'
import { isHead } from '../../http/head.ts'
import { Problem } from '../../http/problems.ts'
import { type SseMessage, sseResponse } from '../../http/sse.ts'
import type { Recorded } from '../../log/event-log.ts'
import type { InAccount } from '../frame.ts'
import { accountRoute } from '../route.ts'

export const changePages = [accountRoute('GET', '/changes', 'viewer', changes)]

/** Of one person, in this process. */
const MOST_STREAMS = 50
const RETRY_S = 5

/** Events that come together are told once, in milliseconds. */
const GATHER_MS = 250

/** Streams of each person in this process. */
const open = new Map<PersonId, number>()

async function changes(given: InAccount): Promise<Response> {
  const { deps, call, url } = given
  const { personId } = given.person
  const count = () => open.get(personId) ?? 0
  if (count() >= MOST_STREAMS) throw new Problem('rate-limited', { extras: { retry_after_s: RETRY_S } })
  if (isHead(call.request)) return new Response(null)
  const run = parseRunId(url.searchParams.get('run') ?? '')
  const stream = run && runStream(run)
  const wanted = ({ stream: of }: Recorded) => (stream === undefined ? of.startsWith('run-') : of === stream)
  async function* counted(signal: AbortSignal) {
    open.set(personId, count() + 1)
    try {
      yield* messages(given, wanted, signal)
    } finally {
      open.set(personId, count() - 1)
      if (count() === 0) open.delete(personId)
    }
  }
  return sseResponse(counted, {
    closing: deps.closing,
    failed: (err) =>
      deps.logger.error(
        { err, request_id: call.requestId },
        'The live updates of a page broke off. The page connects again.',
      ),
  })
}

/** It ends when the person is no member of the account any more, and when the session ends. */
async function* messages(
  { deps, accountId, person, session }: InAccount,
  wanted: (recorded: Recorded) => boolean,
  signal: AbortSignal,
): AsyncGenerator<SseMessage> {
  let changed = false
  let wake = Promise.withResolvers<void>()
  let isOver = false
  const end = () => {
    isOver = true
    wake.resolve()
  }
  const stops = [
    deps.tail.of(accountId, (recorded) => {
      const { event } = recorded
      if (event?.type === 'MemberRemoved' && event.data.person_id === person.personId) return end()
      if (!wanted(recorded)) return
      changed = true
      wake.resolve()
    }),
    deps.tail.onReplaced(end),
  ]
  signal.addEventListener('abort', end)
  try {
    for (let n = 0; !isOver; ) {
      await wake.promise
      wake = Promise.withResolvers()
      if (isOver || !(await deps.sessions.isOpen(person.personId, session.id))) return
      await new Promise<void>((go) => setTimeout(go, GATHER_MS))
      if (!changed) continue
      changed = false
      yield { id: String(n++), event: 'change', data: '{}' }
    }
  } finally {
    signal.removeEventListener('abort', end)
    for (const stop of stops) stop()
  }
}
