/** The embedded use of exits fulfils the contract, survives a restart, and is deleted after 30 days. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DAY_MS, type ExitCounts } from '../../src/ephemeral/exit-days.ts'
import { openSqliteEphemeralStore } from '../../src/ephemeral/sqlite/ephemeral-store.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { exitDaysContract } from './exit-days.ts'

const ONE: ExitCounts = { runs: 1, blocked: 0, failed: 0, requests: 3, bytes: 500 }

exitDaysContract('a SQLite file', async () => {
  const store = openSqliteEphemeralStore(':memory:')
  return { days: store.exitDays, close: () => store.close() }
})

test('counts survive a restart, and old days are deleted with the next ones', async () => {
  const path = join(temporaryFolder(), 'ephemeral.db')
  const before = openSqliteEphemeralStore(path)
  before.exitDays.count('home#1', 'forum', ONE, 0)
  await before.close()
  const after = openSqliteEphemeralStore(path)
  expect(await after.exitDays.days(0)).toHaveLength(1)
  after.exitDays.count('home#1', 'forum', ONE, 40 * DAY_MS)
  await after.close()
  const file = new DatabaseSync(path)
  expect(
    file
      .prepare('SELECT day FROM exit_days')
      .all()
      .map(({ day }) => String(day)),
  ).toEqual(['1970-02-10'])
  file.close()
})

test('counts that cannot be written are kept for the next time', async () => {
  const path = join(temporaryFolder(), 'ephemeral.db')
  const errors: unknown[] = []
  const store = openSqliteEphemeralStore(path, { onError: (error) => errors.push(error) })
  const other = new DatabaseSync(path)
  other.exec('ALTER TABLE exit_days RENAME TO away')
  store.exitDays.count('home#1', 'forum', ONE, 0)
  await expect(store.exitDays.days(0)).rejects.toBeInstanceOf(StoreUnavailable)
  expect(errors).toHaveLength(1)
  other.exec('ALTER TABLE away RENAME TO exit_days')
  other.close()
  store.exitDays.count('home#1', 'forum', ONE, 0)
  expect(await store.exitDays.days(0)).toMatchObject([{ runs: 2, requests: 6, bytes: 1000 }])
  await store.close()
})
