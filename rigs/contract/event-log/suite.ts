/**
 * What the parts of the contract of event logs share: an opened log, its events and its refusals.
 *
 * @module
 */
import { expect } from 'bun:test'
import type { EventId, StreamName } from '../../../src/domain/ids.ts'
import type { EventLog, NewEvent, Position, Recorded } from '../../../src/log/event-log.ts'
import { anEvent, someEvents } from '../events.ts'

export type OpenedLog = {
  readonly log: EventLog
  /** Closes the log and opens it again. */
  reopen(): Promise<OpenedLog>
  close(): Promise<void>
}

/** Subscribes after a position until `count` events of these streams arrived. */
export async function gather(
  log: EventLog,
  after: Position | null,
  streams: readonly StreamName[],
  count: number,
): Promise<Recorded[]> {
  const stop = new AbortController()
  const events: Recorded[] = []
  for await (const batch of log.subscribe(after, { signal: stop.signal })) {
    if (batch.kind === 'events') events.push(...batch.events.filter((e) => streams.includes(e.stream)))
    if (events.length >= count) stop.abort()
  }
  return events
}

/** The position of a stream's last event. */
export async function lastOf(log: EventLog, stream: StreamName): Promise<Position> {
  const last = (await log.readStream(stream)).at(-1)
  if (!last) throw new Error(`${stream} has no event`)
  return last.position
}

export const idsOf = (events: readonly { readonly id: EventId }[]) => events.map(({ id }) => id)
export const reasonsOf = (events: readonly Recorded[]) =>
  events.map(({ event }) => event && 'reason' in event.data && event.data.reason)
/** Matches the refusal of an append. */
export const wrong = (stream: StreamName, expected: number | 'no-stream', actual: number | null) =>
  expect.objectContaining({ name: 'WrongExpectedRevision', stream, expected, actual })

/** The rejection of a promise that must fail. */
export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('it should have failed')
    },
    (error) => error,
  )

/** An event whose data and metadata have exactly this many bytes of JSON. */
export function ofBytes(bytes: number, letter = 'x'): NewEvent {
  const { event, meta } = anEvent('')
  const rest = bytes - Buffer.byteLength(JSON.stringify(event.data) + JSON.stringify(meta))
  const each = Buffer.byteLength(letter)
  return anEvent(letter.repeat(Math.floor(rest / each)) + 'x'.repeat(rest % each))
}

/** Opens the log under test. */
export type Open = () => Promise<OpenedLog>

/** Runs a test on a newly opened log and closes it. */
export const usingOf =
  (open: Open) => (use: (log: EventLog, opened: OpenedLog) => Promise<void>) => async () => {
    const opened = await open()
    try {
      await use(opened.log, opened)
    } finally {
      await opened.close()
    }
  }

/** Fills an unused stream by small appends: a large one may time out on a busy machine. */
export async function appendMany(
  log: EventLog,
  stream: StreamName,
  count: number,
  appended?: (at: number) => void,
) {
  for (let at = 0; at < count; at += 100) {
    await log.append(stream, at === 0 ? 'no-stream' : at - 1, someEvents(100))
    appended?.(at)
  }
}
