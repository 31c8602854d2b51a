/** The log of simulations gives the same answers as the embedded log to any sequence of calls. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { EventId, StreamName } from '../../../src/domain/ids.ts'
import type { EventLog, Expected, Recorded } from '../../../src/log/event-log.ts'
import { openSqliteLog } from '../../../src/log/sqlite/log.ts'
import { anEvent } from '../../contract/events.ts'
import { alike, namedCall } from './alike.ts'
import { MemoryLog } from './log.ts'

const stream = fc.constantFrom('run-a', 'run-b').map((name) => name as StreamName)
const expected = fc.constantFrom<Expected[]>('no-stream', 0, 1, 2, 3)
const id = fc.nat(2).map((n) => `00000000-0000-4000-8000-00000000000${n}` as EventId)
const limit = fc.integer({ min: 1, max: 5 })
/** Events without their positions, which differ between logs. */
const idsAndRevisions = (events: readonly Recorded[]) =>
  events.map(({ id, stream, revision }) => [id, stream, revision])

test('the log of simulations writes, refuses, repeats and reads appends like the embedded log', async () => {
  const ids = fc.array(id, { minLength: 1, maxLength: 3 })
  const append = namedCall('append', fc.tuple(stream, expected, ids), (log: EventLog, [to, at, ids]) =>
    log.append(
      to,
      at,
      ids.map((id) => ({ ...anEvent(), id })),
    ),
  )
  const read = namedCall('readStream', fc.tuple(stream, fc.nat(4), limit), async (log: EventLog, args) =>
    idsAndRevisions(await log.readStream(...args)),
  )
  const readAll = namedCall('readAll', limit, async (log: EventLog, most) =>
    idsAndRevisions(await log.readAll(null, most)),
  )
  await alike(fc.oneof({ weight: 3, arbitrary: append }, read, readAll), async () => [
    new MemoryLog(),
    openSqliteLog(':memory:'),
  ])
})

test('alike fails for stores that differ', async () => {
  const read = namedCall('readAll', limit, async (log: EventLog, most) =>
    idsAndRevisions(await log.readAll(null, most)),
  )
  const open = async () => {
    const log = new MemoryLog()
    await log.append('run-a' as StreamName, 'no-stream', [anEvent()])
    return [log, new MemoryLog()] as const
  }
  await expect(alike<EventLog>(read, open)).rejects.toThrow('Property failed')
})
