/** The embedded delivery store: the contract, and failures of its file. */
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { WebhookId } from '../../src/domain/ids.ts'
import { type Position, StoreUnavailable } from '../../src/log/event-log.ts'
import { openSqliteDeliveryStore } from '../../src/webhooks/deliveries/sqlite/delivery-store.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { CALLS, delivery, deliveryStoreContract, webhookTest } from './delivery-store.ts'

const A = 'whk_a' as WebhookId
const newFile = () => join(temporaryFolder(), 'webhooks.db')

deliveryStoreContract('a SQLite file', false, async () => {
  const path = newFile()
  let store = openSqliteDeliveryStore(path)
  return {
    store,
    async reopen() {
      await store.close()
      store = openSqliteDeliveryStore(path)
      return store
    },
    close: () => store.close(),
  }
})

/** Changes the file behind the store's back. */
function behind(path: string, sql: string): void {
  const db = new DatabaseSync(path)
  db.exec(sql)
  db.close()
}

test('a queue call that fails halfway writes nothing, and can be repeated', async () => {
  const path = newFile()
  const store = openSqliteDeliveryStore(path)
  const queue = () =>
    store.queue(
      A,
      [1, 2, 3].map((n) => delivery(n)),
      { logId: 'log', position: 3 as Position },
    )
  behind(
    path,
    "CREATE TRIGGER full BEFORE INSERT ON deliveries WHEN new.position = 2 BEGIN SELECT raise(FAIL, 'disk'); END",
  )
  await expect(queue()).rejects.toThrow(StoreUnavailable)
  expect(await store.list(A, { limit: 9 })).toEqual([])
  expect(await store.cursor(A)).toBeUndefined()
  expect(await store.dueWebhooks(9000)).toEqual([])
  behind(path, 'DROP TRIGGER full')
  await queue()
  expect(await store.list(A, { limit: 9 })).toHaveLength(3)
  await store.close()
})

test.each(Object.entries(CALLS))('%s on a broken file fails with StoreUnavailable', async (_, call) => {
  const path = newFile()
  const store = openSqliteDeliveryStore(path)
  behind(path, 'DROP TABLE deliveries; DROP TABLE endpoints; DROP TABLE tests')
  await expect(call(store)).rejects.toThrow(StoreUnavailable)
  await store.close()
})

test('sweep deletes tests that are older than a time', async () => {
  const store = openSqliteDeliveryStore(newFile())
  for (const n of [1, 2]) await store.tested(A, webhookTest(n))
  await store.sweep(Date.parse(webhookTest(2).time))
  expect(await store.tests(A)).toEqual([webhookTest(2)])
  await store.close()
})

test('put fails with StoreUnavailable after the file was deleted', async () => {
  const path = newFile()
  const store = openSqliteDeliveryStore(path)
  rmSync(path)
  await expect(store.put([delivery(1)])).rejects.toThrow(StoreUnavailable)
  await store.close()
})

test('the only process of a file holds the leases of all endpoints', async () => {
  const store = openSqliteDeliveryStore(newFile())
  expect([...(await store.lease([A], 'one', 1, 0))]).toEqual([[A, 'renewed']])
  await store.release([A], 'one')
  await store.close()
})
