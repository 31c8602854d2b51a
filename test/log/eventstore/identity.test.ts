/**
 * The identity of a log, with servers that answer differently.
 *
 * @module
 */
import { beforeEach, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import type { EventStoreDBClient } from '@eventstore/db-client'
import { LogReplaced } from '../../../src/log/event-log.ts'
import type { Appends } from '../../../src/log/eventstore/appends.ts'
import { Identity } from '../../../src/log/eventstore/identity.ts'

type Stored = {
  readonly id: string
  readonly streamId: string
  readonly revision: bigint
  readonly data: unknown
}

/** The leader's events by position. Reads are answered from `read`, which may lag behind the leader. */
let leader: Map<number, Stored>
let read: () => Map<number, Stored>
let identity: Identity

const answer = (events: readonly [number, Stored][]) =>
  Object.assign(
    Readable.from(
      events.map(([position, event]) => ({
        event: {
          ...event,
          type: 'LogCreated',
          position: { commit: BigInt(position), prepare: BigInt(position) },
        },
      })),
    ),
    { cancel: async () => {} },
  )

const client = {
  readStream: (stream: string) =>
    answer([...read()].filter(([, { streamId }]) => streamId === stream).slice(-1)),
  readAll: ({ fromPosition }: { fromPosition: { commit: bigint } }) =>
    answer([...read()].filter(([position]) => position >= Number(fromPosition.commit)).slice(0, 1)),
} as unknown as EventStoreDBClient

const appends = {
  async append(stream: string, expected: number | 'no-stream', [event]: { id: string; data: string }[]) {
    const there = [...leader.values()].filter(({ streamId }) => streamId === stream)
    const last = there.length - 1
    if (last !== (expected === 'no-stream' ? -1 : expected)) return { kind: 'wrong-revision', actual: last }
    write(stream, event!.id, JSON.parse(event!.data), there.length)
    return { kind: 'written', revision: last + 1 }
  },
} as unknown as Appends

function write(streamId: string, id: string, data: unknown = {}, revision = 0): number {
  const position = (Math.max(0, ...leader.keys()) || 0) + 100
  leader.set(position, { id, streamId, revision: BigInt(revision), data })
  return position
}

const copy = () => new Map(leader)

beforeEach(async () => {
  leader = new Map()
  read = () => leader
  identity = await Identity.open(client, appends)
})

test('a log that holds the known events keeps its id, even if another client wrote an id again', async () => {
  const { id } = identity
  identity.saw({ id: 'one', position: write('run-1', 'one') })
  await identity.check()
  const gleaner = [...leader.values()].find(({ streamId }) => streamId === 'gleaner')!
  write('gleaner', 'again', gleaner.data, 1)
  await identity.check()
  expect(identity.id).toBe(id)
})

test('reads from a server that lags behind do not change the id', async () => {
  const { id } = identity
  const behind = copy()
  identity.saw({ id: 'one', position: write('run-1', 'one') })
  read = () => behind
  for (let i = 0; i < 3; i++) await identity.check()
  expect(identity.id).toBe(id)
  read = () => leader
  await identity.check()
  expect(identity.id).toBe(id)
})

test('a log that lost the newest event is replaced once for each process, which all get the same new id', async () => {
  const { id } = identity
  const other = await Identity.open(client, appends)
  const backup = copy()
  const newest = { id: 'one', position: write('run-1', 'one') }
  identity.saw(newest)
  other.saw(newest)
  leader = backup
  // Another event now has the position of the lost one.
  write('run-2', 'two')
  await expect(identity.check()).rejects.toThrow(LogReplaced)
  await expect(other.check()).rejects.toThrow(LogReplaced)
  expect(identity.id).not.toBe(id)
  expect(other.id).toBe(identity.id)
  await identity.check()
  await other.check()
})
