import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { eventLogContract, type OpenedLog } from './event-log.ts'

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

test('another file is another log', async () => {
  const logs = ['a.db', 'b.db'].map((name) => openSqliteLog(join(folder, name)))
  expect(logs[0]!.id).not.toBe(logs[1]!.id)
  for (const log of logs) await log.close()
})

test('a log without events has no head, and has caught up nowhere', async () => {
  const log = openSqliteLog(join(folder, 'empty.db'))
  expect(await log.head()).toBeNull()
  expect(await log.readAll(null, 10)).toEqual([])
  for await (const delivery of log.subscribe(null, { signal: new AbortController().signal })) {
    expect(delivery).toEqual({ kind: 'caught-up', position: null })
    break
  }
  await log.close()
})
