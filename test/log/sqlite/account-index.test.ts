/** The embedded log's index by account: queries use it, and older logs get it. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { anAccount, anEvent, aStream } from '../../../rigs/contract/events.ts'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { openSqliteLog } from '../../../src/log/sqlite/log.ts'
import { OF_ACCOUNT } from '../../../src/log/sqlite/rows.ts'

const folder = temporaryFolder()
const INDEX = 'events_by_account'

test('a read of one account uses the index, without sorting', async () => {
  const log = openSqliteLog(join(folder, 'plan.db'))
  const plan = log.db
    .prepare(
      `EXPLAIN QUERY PLAN SELECT * FROM events WHERE ${OF_ACCOUNT} = ? AND position > ? ORDER BY position LIMIT ?`,
    )
    .all('acc_x', 0, 10) as { detail: string }[]
  expect(plan.map(({ detail }) => detail)).toEqual([
    `SEARCH events USING INDEX ${INDEX} (<expr>=? AND rowid>?)`,
  ])
  await log.close()
})

test('a log without the index gets it on opening, with all its events', async () => {
  const path = join(folder, 'old.db')
  const [own, other] = [anAccount(), anAccount()]
  const before = openSqliteLog(path)
  for (const account_id of [own, other, own])
    await before.append(aStream(), 'no-stream', [anEvent('x', { account_id }), anEvent('y', { account_id })])
  await before.close()
  const old = new DatabaseSync(path)
  old.exec(`DROP INDEX ${INDEX}`)
  old.close()
  const log = openSqliteLog(path)
  expect((await log.readAccount(own, null, 10)).map(({ meta }) => meta.account_id)).toEqual([
    own,
    own,
    own,
    own,
  ])
  await log.append(aStream(), 'no-stream', [anEvent('z', { account_id: own })])
  expect(await log.readAccount(own, null, 10)).toHaveLength(5)
  expect(await log.readAccount(other, null, 10)).toHaveLength(2)
  expect(log.db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  await log.close()
})
