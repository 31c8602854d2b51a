/** The embedded rests of exits fulfil the contract and survive a restart. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteEphemeralStore } from '../../src/ephemeral/sqlite/ephemeral-store.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { exitRestsContract } from './exit-rests.ts'

exitRestsContract('a SQLite file', async () => {
  const store = openSqliteEphemeralStore(':memory:')
  return { rests: store.exitRests, close: () => store.close() }
})

test('rests survive a restart', async () => {
  const path = join(temporaryFolder(), 'ephemeral.db')
  const before = openSqliteEphemeralStore(path)
  await before.exitRests.put('k', { until: 2000, count: 1 }, 1000)
  await before.close()
  const after = openSqliteEphemeralStore(path)
  expect(await after.exitRests.get(['k'])).toEqual([{ until: 2000, count: 1 }])
  await after.close()
})

test('rests that cannot be read or written are those of an unavailable store', async () => {
  const path = join(temporaryFolder(), 'ephemeral.db')
  const store = openSqliteEphemeralStore(path)
  const other = new DatabaseSync(path)
  other.exec('DROP TABLE exit_rests')
  other.close()
  await expect(store.exitRests.get(['k'])).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(store.exitRests.put('k', { until: 2, count: 1 }, 1)).rejects.toBeInstanceOf(StoreUnavailable)
  await store.close()
})
