/** Damaged pages of the log's file are reported, so that the server can stop. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { aStream, someEvents } from '../../../rigs/contract/events.ts'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import { openSqliteLog } from '../../../src/log/sqlite/log.ts'

const folder = temporaryFolder()
const PAGE = 4096

/** A closed log whose table of events begins with a damaged page. The file still opens. */
async function damagedLog(name: string): Promise<string> {
  const path = join(folder, name)
  const log = openSqliteLog(path)
  for (let i = 0; i < 50; i++) await log.append(aStream(), 'no-stream', someEvents(3))
  await log.close()
  const db = new DatabaseSync(path)
  const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").get() as {
    rootpage: number
  }
  db.close()
  writeFileSync(path, readFileSync(path).fill(0xff, (rootpage - 1) * PAGE, rootpage * PAGE))
  return path
}

test('a read that meets a damaged page fails, and the damage is reported', async () => {
  const reported: unknown[] = []
  const log = openSqliteLog(await damagedLog('read.db'), { onDamaged: (error) => reported.push(error) })
  await expect(log.readAll(null, 10)).rejects.toThrow(StoreUnavailable)
  expect(reported).toEqual([expect.objectContaining({ message: expect.stringContaining('malformed') })])
  await log.close()
})

test('an append that meets a damaged page fails, and the damage is reported', async () => {
  const reported: unknown[] = []
  const log = openSqliteLog(await damagedLog('write.db'), { onDamaged: (error) => reported.push(error) })
  await expect(log.append(aStream(), 'no-stream', someEvents(1))).rejects.toThrow(StoreUnavailable)
  expect(reported).not.toEqual([])
  await log.close()
})

test('a failure that is no damage is not reported as damage', async () => {
  const reported: unknown[] = []
  const log = openSqliteLog(join(folder, 'whole.db'), { onDamaged: (error) => reported.push(error) })
  log.db.exec('DROP TABLE events')
  await expect(log.readAll(null, 10)).rejects.toThrow(StoreUnavailable)
  expect(reported).toEqual([])
  await log.close()
})
