/**
 * The embedded store of webhook deliveries, in a SQLite file.
 *
 * @module
 */
import type { WebhookId } from '../../../domain/ids.ts'
import { orUnavailable } from '../../../log/away.ts'
import { StoreUnavailable } from '../../../log/event-log.ts'
import { Commits } from '../../../sqlite/commits.ts'
import { openDatabase } from '../../../sqlite/open.ts'
import type { EndpointHealth } from '../../endpoints/record.ts'
import {
  type Cursor,
  type DeliveryStore,
  KEPT_TESTS,
  type WebhookDelivery,
  type WebhookTest,
} from '../delivery-store.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS deliveries (
  webhook_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  stream TEXT NOT NULL,
  revision INTEGER NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts TEXT NOT NULL,
  attempts_since_queued INTEGER NOT NULL,
  next_at INTEGER,
  once INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS deliveries_once ON deliveries (webhook_id, next_at) WHERE once = 1 AND next_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS deliveries_by_position ON deliveries (webhook_id, position);
CREATE INDEX IF NOT EXISTS deliveries_by_state ON deliveries (webhook_id, state, position);
CREATE INDEX IF NOT EXISTS deliveries_queued_at ON deliveries (queued_at);
CREATE TABLE IF NOT EXISTS endpoints (
  webhook_id TEXT PRIMARY KEY,
  log_id TEXT,
  position INTEGER,
  failing_since INTEGER,
  last_success_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tests (
  webhook_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  test TEXT NOT NULL,
  PRIMARY KEY (webhook_id, at, event_id)
) STRICT, WITHOUT ROWID;
`
const COLUMNS = `webhook_id AS webhookId, event_id AS eventId, position, stream, revision, type, state, attempts,
  attempts_since_queued AS attemptsSinceQueued, next_at AS nextAt, once, queued_at AS queuedAt`
const VALUES = `(webhook_id, event_id, position, stream, revision, type, state, attempts, attempts_since_queued,
  next_at, once, queued_at)
  VALUES (:webhookId, :eventId, :position, :stream, :revision, :type, :state, :attempts, :attemptsSinceQueued,
  :nextAt, :once, :queuedAt)`
const SWEPT_AT_ONCE = 1000

type Stored = Omit<WebhookDelivery, 'attempts' | 'once'> & {
  readonly attempts: string
  readonly once: number
}

/** Opens or creates the store. @param path a file, or `:memory:` */
export function openSqliteDeliveryStore(path: string): DeliveryStore {
  const db = openDatabase(path)
  db.exec(SCHEMA)
  const commits = new Commits(db, path, { unavailable })
  const add = db.prepare(`INSERT INTO deliveries ${VALUES} ON CONFLICT DO NOTHING`)
  const put = db.prepare(`INSERT OR REPLACE INTO deliveries ${VALUES}`)
  const find = db.prepare(`SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? AND event_id = ?`)
  const dueOf = (which: string) =>
    db.prepare(
      `SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? AND next_at <= ? ${which} ORDER BY next_at LIMIT ?`,
    )
  const due = dueOf('')
  const dueOnce = dueOf('AND once = 1')
  const earliest = db.prepare(
    `SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? AND state = 'pending' ORDER BY position LIMIT 1`,
  )
  const moreThan = (state: string) =>
    db.prepare(
      `SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? ${state} AND position < ? ORDER BY position DESC LIMIT ?`,
    )
  const listAll = moreThan('')
  const listState = moreThan('AND state = ?')
  const webhooksWithDue = db.prepare(
    `SELECT webhook_id AS id FROM endpoints AS e
      WHERE EXISTS (SELECT 1 FROM deliveries WHERE webhook_id = e.webhook_id AND next_at <= ?)`,
  )
  const know = db.prepare('INSERT INTO endpoints (webhook_id) VALUES (?) ON CONFLICT DO NOTHING')
  const cursor = db.prepare(
    'SELECT log_id AS logId, position FROM endpoints WHERE webhook_id = ? AND position IS NOT NULL',
  )
  const move = db.prepare('UPDATE endpoints SET log_id = ?, position = ? WHERE webhook_id = ?')
  const succeeded = db.prepare(
    'UPDATE endpoints SET failing_since = NULL, last_success_at = ? WHERE webhook_id = ?',
  )
  const failed = db.prepare(
    'UPDATE endpoints SET failing_since = coalesce(failing_since, ?) WHERE webhook_id = ?',
  )
  const forgive = db.prepare('UPDATE endpoints SET failing_since = NULL WHERE webhook_id = ?')
  const health = db.prepare(
    'SELECT failing_since AS failingSince, last_success_at AS lastSuccessAt FROM endpoints WHERE webhook_id = ?',
  )
  const sweep = db.prepare(
    `DELETE FROM deliveries WHERE (webhook_id, event_id) IN
      (SELECT webhook_id, event_id FROM deliveries WHERE queued_at < ? LIMIT ${SWEPT_AT_ONCE})`,
  )
  const addTest = db.prepare(
    'INSERT OR REPLACE INTO tests (webhook_id, at, event_id, test) VALUES (?, ?, ?, ?)',
  )
  const newestTests = `FROM tests WHERE webhook_id = ? ORDER BY at DESC, event_id DESC LIMIT ${KEPT_TESTS}`
  const dropTests = db.prepare(
    `DELETE FROM tests WHERE webhook_id = ? AND (at, event_id) NOT IN (SELECT at, event_id ${newestTests})`,
  )
  const listTests = db.prepare(`SELECT test ${newestTests}`)
  const sweepTests = db.prepare('DELETE FROM tests WHERE at < ?')
  const forget = ['deliveries', 'endpoints', 'tests'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE webhook_id = ?`),
  )

  const healthOf = (webhook: WebhookId): EndpointHealth =>
    (health.get(webhook) as EndpointHealth | undefined) ?? { failingSince: null, lastSuccessAt: null }

  return {
    // Only one process uses the file, so it always holds all leases.
    lease: async (webhooks) => new Map(webhooks.map((webhook) => [webhook, 'renewed'])),
    release: async () => {},
    cursor: async (webhook) => read(() => (cursor.get(webhook) ?? undefined) as Cursor | undefined),
    queue: (webhook, deliveries, { logId, position }, from) =>
      commits.write(() => {
        const before = cursor.get(webhook) as Cursor | undefined
        if (from !== undefined && from !== (before?.logId === logId ? before.position : null)) return false
        know.run(webhook)
        for (const each of deliveries) add.run(storedOf(each))
        move.run(logId, position, webhook)
        return true
      }),
    put: (deliveries, queuedAt) =>
      commits.write(() => {
        const isReplayed = ({ webhookId, eventId }: WebhookDelivery) => {
          const there = queuedAt !== undefined && deliveryOf(find.get(webhookId, eventId))
          return there && there.queuedAt !== queuedAt
        }
        if (deliveries.some(isReplayed)) return false
        for (const each of deliveries) {
          know.run(each.webhookId)
          put.run(storedOf(each))
        }
        return true
      }),
    find: async (webhook, eventId) => read(() => deliveryOf(find.get(webhook, eventId))),
    due: async (webhook, now, limit, onlyOnce = false) =>
      read(() => deliveriesOf((onlyOnce ? dueOnce : due).all(webhook, now, limit))),
    dueWebhooks: async (now) =>
      read(() => (webhooksWithDue.all(now) as { id: WebhookId }[]).map(({ id }) => id)),
    earliestPending: async (webhook) => read(() => deliveryOf(earliest.get(webhook))),
    list: async (webhook, { state, before = Number.MAX_SAFE_INTEGER, limit }) =>
      read(() =>
        deliveriesOf(
          state === undefined
            ? listAll.all(webhook, before, limit)
            : listState.all(webhook, state, before, limit),
        ),
      ),
    noted: (webhook, success, at) =>
      commits.write(() => {
        know.run(webhook)
        ;(success ? succeeded : failed).run(at, webhook)
        return healthOf(webhook)
      }),
    forgive: (webhook) => commits.write(() => void forgive.run(webhook)),
    health: async (webhook) => read(() => healthOf(webhook)),
    tested: (webhook, test) =>
      commits.write(() => {
        addTest.run(webhook, Date.parse(test.time), test.eventId, JSON.stringify(test))
        dropTests.run(webhook, webhook)
      }),
    tests: async (webhook) =>
      read(() =>
        (listTests.all(webhook) as { test: string }[]).map(({ test }) => JSON.parse(test) as WebhookTest),
      ),
    sweep: (before) =>
      commits.write(() => {
        sweepTests.run(before)
        return Number(sweep.run(before).changes)
      }),
    forget: (webhook) =>
      commits.write(() => {
        for (const statement of forget) statement.run(webhook)
      }),
    async close() {
      await commits.close()
      db.close()
    },
  }
}

const FAILED = 'webhook deliveries are not available'
const unavailable = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable(`${FAILED}: ${(cause as Error).message}`, { cause })
const read = <T>(query: () => T): T => orUnavailable(FAILED, query)

const storedOf = ({ attempts, once, ...rest }: WebhookDelivery): Stored => ({
  ...rest,
  attempts: JSON.stringify(attempts),
  once: once ? 1 : 0,
})

const deliveriesOf = (rows: unknown[]): WebhookDelivery[] => rows.map((row) => deliveryOf(row)!)

function deliveryOf(row: unknown): WebhookDelivery | undefined {
  if (!row) return undefined
  const { attempts, once, ...rest } = row as Stored
  return { ...rest, attempts: JSON.parse(attempts), once: once === 1 }
}
