/**
 * An EventStoreDB that is restored from an older backup, or replaced by another one, while processes use it. On the
 * fake, or on a real server with EVENTSTORE_COMMAND.
 *
 * @module
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { aStream, someEvents } from '../../../rigs/contract/events.ts'
import { type EventStoreServer, startEventStore } from '../../../rigs/machines/nodes/event-store.ts'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import type { StreamName } from '../../../src/domain/ids.ts'
import { Feed } from '../../../src/feed/feed.ts'
import type { Appended, EventLog, Expected, Position } from '../../../src/log/event-log.ts'
import { LogReplaced, StoreUnavailable } from '../../../src/log/event-log.ts'
import { openEventstoreLog } from '../../../src/log/eventstore/log.ts'
import { Tail } from '../../../src/log/tail.ts'
import { openSqliteReadModels } from '../../../src/read/sqlite/read-models.ts'

const root = temporaryFolder()
let folder: string
let server: EventStoreServer
let logs: EventLog[]
let count = 0

const open = async () => {
  const log = await openEventstoreLog(`esdb://127.0.0.1:${server.port}?tls=false`, { onFailure: () => {} })
  logs.push(log)
  return log
}

beforeEach(async () => {
  folder = join(root, `${++count}`)
  logs = []
  server = await startEventStore(folder)
})
afterEach(async () => {
  await Promise.all(logs.map((log) => log.close()))
  await server.kill()
})

/** Backs up the server's data; this restarts the server. @returns kills the server and starts it on the backup */
async function backup(): Promise<() => Promise<void>> {
  const kept = `${folder}-kept`
  await server.kill()
  cpSync(folder, kept, { recursive: true })
  server = await startEventStore(folder, server.port)
  return async () => {
    await server.kill()
    rmSync(folder, { recursive: true })
    cpSync(kept, folder, { recursive: true })
    server = await startEventStore(folder, server.port)
  }
}

/** Restarts the server without data. */
async function replace(): Promise<void> {
  await server.kill()
  rmSync(folder, { recursive: true })
  server = await startEventStore(folder, server.port)
}

/** The error that ends a subscription. */
async function endOf(log: EventLog, after: Position | null): Promise<unknown> {
  try {
    for await (const _ of log.subscribe(after, { signal: new AbortController().signal }));
  } catch (error) {
    return error
  }
}

/** Repeats a call until the store answers. */
async function works<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      await new Promise((go) => setTimeout(go, 20))
    }
  }
}

/** Repeats an append until it succeeds. The events stay the same, because an attempt without an answer may have written them. */
function written(log: EventLog, stream: StreamName, expected: Expected, count: number): Promise<Appended> {
  const events = someEvents(count)
  return works(() => log.append(stream, expected, events))
}

test('a restored log ends its subscriptions and gets a new id, the same for all processes', async () => {
  const [one, other] = [await open(), await open()]
  const [before, lost] = [aStream(), aStream()]
  const { id } = one
  await one.append(before, 'no-stream', someEvents(2))
  const kept = await one.head()
  const restore = await backup()
  const ends = [endOf(one, null), endOf(other, null)]
  await written(one, lost, 'no-stream', 3)
  const gone = (await one.readStream(lost)).at(-1)!.position
  await restore()
  for (const end of await Promise.all(ends)) expect(end).toBeInstanceOf(LogReplaced)
  expect(one.id).not.toBe(id)
  expect(other.id).toBe(one.id)
  expect((await open()).id).toBe(one.id)
  expect(await works(() => one.head())).toBe(kept)
  expect(await works(() => one.knows(gone))).toBe(false)
  expect(await one.readStream(before)).toHaveLength(2)
  await one.append(lost, 'no-stream', someEvents(1))
  expect(await other.readStream(lost)).toHaveLength(1)
})

test('a restored log is detected even after it has grown beyond its old end', async () => {
  const [log, writer] = [await open(), await open()]
  const restore = await backup()
  const ended = endOf(log, null)
  const lost = aStream()
  await written(log, lost, 'no-stream', 3)
  const gone = (await log.readStream(lost)).at(-1)!
  await restore()
  // The writer need not have detected it. Events of the same size get the same positions again.
  await written(writer, lost, 'no-stream', 3)
  for (let i = 0; i < 20; i++) await written(writer, aStream(), 'no-stream', 3)
  expect((await works(() => log.head()))! > gone.position).toBe(true)
  expect(await ended).toBeInstanceOf(LogReplaced)
})

test('another log at the same address is detected, and all processes get its id', async () => {
  const [one, other] = [await open(), await open()]
  const { id } = one
  await one.append(aStream(), 'no-stream', someEvents(2))
  const ends = [endOf(one, null), endOf(other, null)]
  await replace()
  for (const end of await Promise.all(ends)) expect(end).toBeInstanceOf(LogReplaced)
  expect(one.id).not.toBe(id)
  expect(other.id).toBe(one.id)
  expect(await works(() => one.head())).toBe(null)
})

test('a restarted server with the same log keeps its id, and subscriptions continue', async () => {
  const log = await open()
  const { id } = log
  const stream = aStream()
  const stop = new AbortController()
  const revisions: number[] = []
  const over = (async () => {
    for await (const delivery of log.subscribe(null, { signal: stop.signal })) {
      if (delivery.kind !== 'events') continue
      for (const recorded of delivery.events)
        if (recorded.stream === stream) revisions.push(recorded.revision)
      if (revisions.length >= 4) return
    }
  })()
  await log.append(stream, 'no-stream', someEvents(2))
  for (let i = 0; i < 2; i++) {
    await server.kill()
    server = await startEventStore(folder, server.port)
    await written(log, stream, 2 * i + 1, 2)
  }
  await over
  expect(revisions.slice(0, 4)).toEqual([0, 1, 2, 3])
  expect(log.id).toBe(id)
})

test('following a feed ends with LogReplaced when the log was restored', async () => {
  const log = await open()
  const restore = await backup()
  const tail = new Tail(log)
  await tail.start()
  const models = openSqliteReadModels(join(folder, 'read-models.db'))
  const feed = new Feed(log, tail, models)
  const following = feed.follow(undefined, null, new AbortController().signal)
  const lost = await log.append(aStream(), 'no-stream', someEvents(3))
  expect(lost.revision).toBe(2)
  expect((await following.next()).value!.events).toHaveLength(3)
  const ended = (async () => {
    for await (const _ of following);
  })().catch((error: unknown) => error)
  await restore()
  expect(await ended).toBeInstanceOf(LogReplaced)
  await tail.stop()
  await models.close()
})

test('the tail reports a replaced log once and continues with the events after it', async () => {
  const log = await open()
  const restore = await backup()
  const tail = new Tail(log)
  await tail.start()
  const replacement = Promise.withResolvers<void>()
  let times = 0
  tail.onReplaced(() => {
    times++
    replacement.resolve()
  })
  await written(log, aStream(), 'no-stream', 3)
  await restore()
  await replacement.promise
  const stream = aStream()
  const event = new Promise<void>((go) => {
    tail.on(stream, ({ revision }) => revision === 1 && go())
  })
  await written(log, stream, 'no-stream', 2)
  await event
  expect(times).toBe(1)
  await tail.stop()
})
