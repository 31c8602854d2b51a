import { afterAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary.ts'
import { type EventStoreProcess, startEventStoreProcess } from './process.ts'
import { startEventStore } from './server.ts'
import {
  anEvent,
  append,
  aStream,
  clientOf,
  endClients,
  errorOf,
  failure,
  gather,
  someEvents,
} from './target.ts'

endClients()
const folder = temporaryFolder()
const processes: EventStoreProcess[] = []
afterAll(() => Promise.all(processes.map((process) => process.kill())))
const started = async (...args: Parameters<typeof startEventStoreProcess>) => {
  processes.push(await startEventStoreProcess(...args))
  return processes.at(-1)!
}

describe('a server that is killed', () => {
  test('has all acknowledged appends when it is started again', async () => {
    const options = { folder: join(folder, 'killed') }
    let process = await started(options)
    const client = clientOf(process.url)
    const acknowledged: { stream: string; position: bigint }[] = []
    let killed: Promise<void> | undefined
    const writing = Array.from({ length: 32 }, async () => {
      for (;;) {
        const stream = aStream()
        const { position } = await append(client, stream, 'no_stream', someEvents(3))
        acknowledged.push({ stream, position: position!.commit })
        if (acknowledged.length >= 80) killed ??= process.kill()
      }
    })
    for (const outcome of await Promise.allSettled(writing)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: expect.any(Number) } })
    }
    await killed
    process = await started({ ...options, port: process.port })
    const again = clientOf(`${process.url}&connectionName=again`)
    const all = (await gather(again.readAll())).map(({ event }) => event!)
    const byStream = Map.groupBy(all, ({ streamId }) => streamId)
    for (const { stream, position } of acknowledged) {
      expect(byStream.get(stream)!.map(({ revision }) => revision)).toEqual([0n, 1n, 2n])
      expect(byStream.get(stream)!.at(-1)!.position!.commit).toBe(position)
    }
    // Some of the failed appends were written, each as a whole.
    const facts = [...byStream].filter(([stream]) => stream.startsWith('fact-'))
    expect(facts.length).toBeGreaterThanOrEqual(acknowledged.length)
    for (const [, events] of facts) expect(events).toHaveLength(3)
    // The first client reconnects by itself.
    expect(await append(client, aStream(), 'no_stream', anEvent())).toMatchObject({ success: true })
  })

  test('recognizes a repeated append at a revision, but not at "any"', async () => {
    const options = { folder: join(folder, 'repeats') }
    const [before, stream, other] = [await started(options), aStream(), aStream()]
    const [events, event] = [someEvents(2), anEvent()]
    const first = await append(clientOf(before.url), stream, 'no_stream', events)
    await append(clientOf(before.url), other, 'any', event)
    await before.kill()
    const client = clientOf((await started(options)).url)
    expect(await append(client, stream, 'no_stream', events)).toEqual(first)
    expect(await append(client, other, 'any', event)).toMatchObject({ nextExpectedRevision: 1n })
    expect(await gather(client.readStream(stream))).toHaveLength(2)
  })

  test('can be paused with SIGSTOP: calls fail at their deadline, and work again after SIGCONT', async () => {
    const process = await started()
    const client = clientOf(process.url)
    const stream = aStream()
    await append(client, stream, 'no_stream', anEvent())
    await process.kill('SIGSTOP')
    const options = { credentials: { username: '', password: '' }, expectedRevision: 0n, deadline: 300 }
    expect(await errorOf(client.appendToStream(stream, anEvent(), options))).toEqual(
      failure('deadline-exceeded', 4),
    )
    await process.kill('SIGCONT')
    expect(await gather(client.readStream(aStream())).catch(({ type }) => type)).toBe('stream-not-found')
  })

  test('takes commands for its faults', async () => {
    const process = await started()
    const client = clientOf(process.url)
    await process.command({ set: { refuseAppends: 'not-ready' } })
    expect(await errorOf(append(client, aStream(), 'no_stream', anEvent()))).toEqual(
      failure('unavailable', 14),
    )
    await process.command({ set: { refuseAppends: null }, cutConnections: true })
    expect(await append(client, aStream(), 'no_stream', anEvent())).toMatchObject({ success: true })
  })
})

describe('the file', () => {
  const file = (name: string) => join(folder, name, 'events.bin')

  test('keeps streams, deletes and metadata, and positions continue', async () => {
    const options = { folder: join(folder, 'kept') }
    const before = await startEventStore(options)
    const client = clientOf(before.url)
    const [plain, deleted, dead, short] = [aStream(), aStream(), aStream(), aStream()]
    for (const stream of [plain, deleted, dead, short])
      await append(client, stream, 'no_stream', someEvents(3))
    await client.deleteStream(deleted)
    await client.tombstoneStream(dead)
    await client.setStreamMetadata(short, { maxCount: 1 })
    const all = await gather(client.readAll())
    await before.stop()

    const after = await startEventStore(options)
    const again = clientOf(after.url)
    const now = await gather(again.readAll())
    expect(now.slice(0, all.length)).toEqual(all)
    expect(now.slice(all.length).map(({ event }) => event!.type)).toEqual(['$EpochInformation'])
    expect(await errorOf(gather(again.readStream(deleted)))).toMatchObject({ type: 'stream-not-found' })
    expect(await errorOf(gather(again.readStream(dead)))).toMatchObject({ type: 'stream-deleted' })
    expect(await gather(again.readStream(short))).toHaveLength(1)
    const { nextExpectedRevision, position } = await append(again, plain, 2n, anEvent())
    expect(nextExpectedRevision).toBe(3n)
    expect(position!.commit).toBeGreaterThan(now.at(-1)!.event!.position!.commit)
    await after.stop()
  })

  test('drops only its last append when that is incomplete', async () => {
    const options = { folder: join(folder, 'torn') }
    const stream = aStream()
    const before = await startEventStore(options)
    await append(clientOf(before.url), stream, 'no_stream', someEvents(2))
    const whole = statSync(file('torn')).size
    await append(clientOf(before.url), stream, 1n, someEvents(3))
    await before.stop()
    truncateSync(file('torn'), whole + Math.floor((statSync(file('torn')).size - whole) * 0.8))
    const after = await startEventStore(options)
    const client = clientOf(after.url)
    expect(await gather(client.readStream(stream))).toHaveLength(2)
    expect(await append(client, stream, 1n, anEvent({}, randomUUID()))).toMatchObject({
      nextExpectedRevision: 2n,
    })
    await after.stop()
    const third = await startEventStore(options)
    expect(await gather(clientOf(third.url).readStream(stream))).toHaveLength(3)
    await third.stop()
  })
})
