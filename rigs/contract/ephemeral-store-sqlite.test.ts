/** The embedded ephemeral store: the contract, and its guarantees beyond it. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AccountId, KeyId } from '../../src/domain/ids.ts'
import { openSqliteEphemeralStore } from '../../src/ephemeral/sqlite/ephemeral-store.ts'
import { TokenBuckets } from '../../src/ephemeral/token-buckets.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { SlotsInMemory } from '../support/run-slots.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { ephemeralStoreContract, runSlotsContract } from './ephemeral-store.ts'

const folder = temporaryFolder()
let files = 0
const newFile = (): string => join(folder, `${++files}.db`)

ephemeralStoreContract('memory and a SQLite file', async () => {
  const path = newFile()
  let ephemeral = openSqliteEphemeralStore(path)
  return {
    ephemeral,
    async reopen() {
      await ephemeral.close()
      ephemeral = openSqliteEphemeralStore(path)
      return ephemeral
    },
    close: () => ephemeral.close(),
  }
})

// Workers of a single process need no slots; tests of the worker use this implementation.
runSlotsContract('memory', async () => ({ slots: new SlotsInMemory(), close: async () => {} }))

const KEY = 'key_00000000000000000000000001' as KeyId

test('a bucket answers synchronously', async () => {
  const ephemeral = openSqliteEphemeralStore(':memory:')
  expect(ephemeral.take('acc_1' as AccountId, 'read', 2, 0)).toEqual({
    allowed: true,
    remaining: 1,
    resetS: 30,
  })
  await ephemeral.close()
})

test('waitS returns the seconds until the next token without taking one', () => {
  const buckets = new TokenBuckets()
  expect(buckets.waitS('a', 2, 1_000_000)).toBe(0)
  buckets.take('a', 2, 1_000_000)
  expect(buckets.waitS('a', 2, 1_000_000)).toBe(0)
  buckets.take('a', 2, 1_000_000)
  expect([buckets.waitS('a', 2, 1_000_000), buckets.waitS('a', 2, 1_029_001)]).toEqual([30, 1])
  expect(buckets.waitS('a', 2, 1_030_000)).toBe(0)
  expect([buckets.has('a'), buckets.has('b')]).toEqual([true, false])
})

test('buckets that are full again are evicted', () => {
  const buckets = new TokenBuckets()
  for (let i = 0; i < 1000; i++) buckets.take(`a${i}`, 10, 1_000_000)
  expect(buckets.size).toBe(1000)
  buckets.take('b', 10, 1_060_000)
  buckets.take('b', 10, 1_120_000)
  expect(buckets.size).toBeLessThanOrEqual(2)
})

test('times of last use are flushed to the file, and another process sees the latest', async () => {
  const path = newFile()
  const one = openSqliteEphemeralStore(path, { flushMs: 1 })
  const two = openSqliteEphemeralStore(path, { flushMs: 1 })
  one.used(KEY, 9)
  two.used(KEY, 5)
  while ((await two.lastUsed([KEY]))[0] !== 9) await new Promise((go) => setTimeout(go, 1))
  await two.close()
  await one.close()
  const three = openSqliteEphemeralStore(path)
  expect(await three.lastUsed([KEY])).toEqual([9])
  await three.close()
})

test('times of last use that could not be written are reported and written later', async () => {
  const path = newFile()
  const errors: unknown[] = []
  const { promise: failed, resolve } = Promise.withResolvers<void>()
  const ephemeral = openSqliteEphemeralStore(path, {
    flushMs: 1,
    onError: (error) => {
      errors.push(error)
      resolve()
    },
  })
  const other = new DatabaseSync(path)
  other.exec('ALTER TABLE last_used RENAME TO hidden')
  ephemeral.used(KEY, 3)
  await failed
  other.exec('ALTER TABLE hidden RENAME TO last_used')
  other.close()
  await ephemeral.close()
  expect(errors.length).toBeGreaterThan(0)
  const reopened = openSqliteEphemeralStore(path)
  expect(await reopened.lastUsed([KEY])).toEqual([3])
  await reopened.close()
})

test('times of last use that cannot be read are those of an unavailable store', async () => {
  const path = newFile()
  const ephemeral = openSqliteEphemeralStore(path)
  const other = new DatabaseSync(path)
  other.exec('DROP TABLE last_used')
  other.close()
  await expect(ephemeral.lastUsed([KEY])).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(ephemeral.forget([KEY])).rejects.toBeInstanceOf(StoreUnavailable)
  await ephemeral.close()
})
