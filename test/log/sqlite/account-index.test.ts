/** The embedded log's index by account. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
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
