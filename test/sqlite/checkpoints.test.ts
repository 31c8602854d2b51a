import { expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { checkpointInBackground } from '../../src/sqlite/checkpoints.ts'
import { openDatabase } from '../../src/sqlite/open.ts'

const folder = temporaryFolder()

test('a background checkpoint moves commits from the WAL into the file, and no WAL remains after close', async () => {
  const path = join(folder, 'checkpoints.db')
  const db = openDatabase(path)
  db.exec('CREATE TABLE rows (body TEXT)')
  const end = checkpointInBackground(path, db)
  const insert = db.prepare('INSERT INTO rows VALUES (?)')
  for (let i = 0; i < 200; i++) insert.run('x'.repeat(8000))
  // By default SQLite's own first checkpoint comes after 1,000 pages; these are 400.
  while (statSync(path).size < 1_500_000) await new Promise((go) => setImmediate(go))
  await end()
  db.close()
  expect(existsSync(`${path}-wal`)).toBe(false)
})

test('a database in memory needs no background checkpoints', async () => {
  const db = openDatabase(':memory:')
  await checkpointInBackground(':memory:', db)()
  db.close()
})
