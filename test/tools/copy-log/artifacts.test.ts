import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { openSqliteArtifacts } from '../../../src/artifacts/sqlite.ts'
import { openSqliteLog, type SqliteLog } from '../../../src/log/sqlite/log.ts'
import { copyArtifacts } from '../../../tools/copy-log/artifacts.ts'

const folder = temporaryFolder()
let log: SqliteLog
beforeEach(() => {
  log = openSqliteLog(join(folder, 'log.db'))
})
afterEach(() => log.close())

test('copyArtifacts rejects with the reason when it is aborted', async () => {
  const target = openSqliteArtifacts({ log, folder, now: Date.now })
  const signal = AbortSignal.abort()
  const copying = copyArtifacts({ db: log.db, folder, target, now: Date.now(), signal })
  await expect(copying).rejects.toBe(signal.reason)
})
