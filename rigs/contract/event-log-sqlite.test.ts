import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { temporaryFolder } from '../support/temporary.ts'
import type { OpenedLog } from './event-log/suite.ts'
import { eventLogContract } from './event-log.ts'
import { aStream, someEvents } from './events.ts'

const folder = temporaryFolder()

function openAt(path: string): OpenedLog {
  const log = openSqliteLog(path)
  const opened: OpenedLog = {
    log,
    close: () => log.close(),
    reopen: async () => {
      await opened.close()
      const again = openAt(path)
      opened.close = again.close
      return again
    },
  }
  return opened
}

eventLogContract('SQLite', async () => openAt(join(folder, 'log.db')))

test('two files have different log ids', async () => {
  const logs = ['a.db', 'b.db'].map((name) => openSqliteLog(join(folder, name)))
  expect(logs[0]!.id).not.toBe(logs[1]!.id)
  for (const log of logs) await log.close()
})

test('an empty log has no head, and a subscriber catches up at position null', async () => {
  const log = openSqliteLog(join(folder, 'empty.db'))
  expect(await log.head()).toBeNull()
  expect(await log.readAll(null, 10)).toEqual([])
  for await (const delivery of log.subscribe(null, { signal: new AbortController().signal })) {
    expect(delivery).toEqual({ kind: 'caught-up', position: null })
    break
  }
  await log.close()
})

test('reads do not return events before they are synced to disk', async () => {
  const { promise: written, resolve: writeOut } = Promise.withResolvers<Error | null>()
  const disk = { sync: () => written, close: () => {} }
  const log = openSqliteLog(join(folder, 'slow.db'), { disk })
  const [stream, other] = [aStream(), aStream()]
  const appended = log.append(stream, 'no-stream', someEvents(2))
  while (!log.commits.settled) await new Promise((go) => setImmediate(go))
  let haveRead = false
  const reads = Promise.all([log.readStream(stream), log.readAll(null, 10)]).finally(() => {
    haveRead = true
  })
  // Reads of streams outside the transaction do not wait.
  expect(await log.readStream(other)).toEqual([])
  expect(haveRead).toBe(false)
  writeOut(null)
  await appended
  for (const events of await reads) expect(events).toHaveLength(2)
  await log.close()
})
