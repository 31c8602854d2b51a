import { expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { anEvent, aStream } from '../../../rigs/contract/events.ts'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { type EventLog, type Position, StoreUnavailable } from '../../../src/log/event-log.ts'
import { openSqliteLog } from '../../../src/log/sqlite/log.ts'

const folder = temporaryFolder()

test.each(['', '-wal'])(
  'a log whose file (%p) was moved away fails with StoreUnavailable until it is back',
  async (suffix) => {
    const path = join(folder, `moved${suffix}.db`)
    const log = openSqliteLog(path)
    const stream = aStream()
    await log.append(stream, 'no-stream', [anEvent()])
    renameSync(path + suffix, `${path}.away`)
    await expect(log.append(stream, 0, [anEvent()])).rejects.toThrow(StoreUnavailable)
    await expect(log.head()).rejects.toThrow(StoreUnavailable)
    renameSync(`${path}.away`, path + suffix)
    expect((await log.append(stream, 0, [anEvent()])).revision).toBe(1)
    await log.close()
  },
)

test('a log on a full disk can be read but is not writable, until there is space again', async () => {
  const log = openSqliteLog(join(folder, 'full.db'))
  const stream = aStream()
  await log.append(stream, 'no-stream', [anEvent()])
  const { page_count } = log.db.prepare('PRAGMA page_count').get() as { page_count: number }
  const limit = (pages: number) => log.db.exec(`PRAGMA max_page_count = ${pages}`)
  const many = Array.from({ length: 100 }, () => anEvent())
  limit(page_count)
  await expect(log.append(stream, 0, many)).rejects.toThrow(StoreUnavailable)
  expect(await log.head()).toBe(1 as Position)
  await expect(log.writable()).rejects.toThrow(StoreUnavailable)
  limit(2 ** 30)
  await log.writable()
  expect((await log.append(stream, 0, many)).revision).toBe(100)
  const id = log.id
  await log.close()
  const again = openSqliteLog(join(folder, 'full.db'))
  expect(again.id).toBe(id)
  await again.close()
})

test('a log whose fsync failed is not writable any more', async () => {
  let error: Error | null = null
  const disk = { sync: async () => error, close: () => {} }
  const log = openSqliteLog(join(folder, 'broken.db'), { disk })
  await log.writable()
  error = new Error('EIO')
  await expect(log.append(aStream(), 'no-stream', [anEvent()])).rejects.toThrow(StoreUnavailable)
  error = null
  await expect(log.writable()).rejects.toThrow(StoreUnavailable)
  await log.close()
})

test('a subscription survives a file that cannot be read for a while', async () => {
  const path = join(folder, 'unreadable.db')
  const failed = Promise.withResolvers<unknown>()
  const log = openSqliteLog(path, { onFailure: failed.resolve })
  const stream = aStream()
  await log.append(stream, 'no-stream', [anEvent(), anEvent()])
  const other = new DatabaseSync(path)
  other.exec('ALTER TABLE events RENAME TO hidden')
  const stop = new AbortController()
  const first = firstEvents(log, stop.signal)
  expect(String(await failed.promise)).toContain('events')
  await expect(log.readStream(aStream())).rejects.toThrow(StoreUnavailable)
  other.exec('ALTER TABLE hidden RENAME TO events')
  other.close()
  expect(await first).toEqual([0, 1])
  stop.abort()
  await log.close()
})

/** Revisions of the first events that a subscription delivers. */
async function firstEvents(log: EventLog, signal: AbortSignal): Promise<number[]> {
  for await (const delivery of log.subscribe(null, { signal })) {
    if (delivery.kind === 'events') return delivery.events.map(({ revision }) => revision)
  }
  return []
}
