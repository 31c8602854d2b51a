/**
 * Deliveries of webhooks, embedded: in a SQLite file.
 *
 * @module
 */
import type { WebhookId } from '../../domain/ids.ts'
import { openDatabase } from '../../sqlite/open.ts'
import type { Cursor, Delivery, DeliveryStore, EndpointHealth } from '../delivery-store.ts'

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
  tries INTEGER NOT NULL,
  next_at INTEGER,
  once INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS deliveries_by_position ON deliveries (webhook_id, position);
CREATE INDEX IF NOT EXISTS deliveries_by_state ON deliveries (webhook_id, state, position);
CREATE INDEX IF NOT EXISTS deliveries_queued ON deliveries (queued_at) WHERE next_at IS NULL;
CREATE TABLE IF NOT EXISTS endpoints (
  webhook_id TEXT PRIMARY KEY,
  log_id TEXT,
  position INTEGER,
  failing_since INTEGER,
  last_success_at INTEGER
) STRICT, WITHOUT ROWID;
`
const COLUMNS = `webhook_id AS webhookId, event_id AS eventId, position, stream, revision, type, state, attempts, tries,
  next_at AS nextAt, once, queued_at AS queuedAt`
const VALUES =
  '(webhook_id, event_id, position, stream, revision, type, state, attempts, tries, next_at, once, queued_at)'
const SWEPT_AT_ONCE = 1000

type Stored = Omit<Delivery, 'attempts' | 'once'> & { readonly attempts: string; readonly once: number }

/** Opens or creates it. @param path a file, or `:memory:` */
export function openSqliteDeliveryStore(path: string): DeliveryStore {
  const db = openDatabase(path, { durable: true })
  db.exec(SCHEMA)
  const marks = `VALUES (${'?, '.repeat(11)}?)`
  const add = db.prepare(`INSERT INTO deliveries ${VALUES} ${marks} ON CONFLICT DO NOTHING`)
  const put = db.prepare(`INSERT OR REPLACE INTO deliveries ${VALUES} ${marks}`)
  const find = db.prepare(`SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? AND event_id = ?`)
  const due = db.prepare(
    `SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? AND next_at <= ? AND once >= ? ORDER BY next_at LIMIT ?`,
  )
  const earliest = db.prepare(
    `SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? AND state = 'pending' ORDER BY position LIMIT 1`,
  )
  const moreThan = (state: string) =>
    db.prepare(
      `SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? ${state} AND position < ? ORDER BY position DESC LIMIT ?`,
    )
  const listAll = moreThan('')
  const listState = moreThan('AND state = ?')
  const webhooksWithDue = db.prepare('SELECT webhook_id AS id FROM endpoints')
  const hasDue = db.prepare('SELECT 1 FROM deliveries WHERE webhook_id = ? AND next_at <= ? LIMIT 1')
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
  const health = db.prepare(
    'SELECT failing_since AS failingSince, last_success_at AS lastSuccessAt FROM endpoints WHERE webhook_id = ?',
  )
  const sweep = db.prepare(
    `DELETE FROM deliveries WHERE (webhook_id, event_id) IN
      (SELECT webhook_id, event_id FROM deliveries WHERE queued_at < ? AND next_at IS NULL LIMIT ${SWEPT_AT_ONCE})`,
  )
  const forget = ['deliveries', 'endpoints'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE webhook_id = ?`),
  )

  const together = <T>(act: () => T): T => {
    db.exec('BEGIN IMMEDIATE')
    try {
      const result = act()
      db.exec('COMMIT')
      return result
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
  }
  const healthOf = (webhook: WebhookId): EndpointHealth =>
    (health.get(webhook) as EndpointHealth | undefined) ?? { failingSince: null, lastSuccessAt: null }

  return {
    // One process has the file, and all endpoints.
    lease: async (webhooks) => new Set(webhooks),
    release: async () => {},
    cursor: async (webhook) => (cursor.get(webhook) ?? undefined) as Cursor | undefined,
    queue: async (webhook, deliveries, { logId, position }) =>
      together(() => {
        know.run(webhook)
        for (const each of deliveries) add.run(...valuesOf(each))
        move.run(logId, position, webhook)
      }),
    put: async (deliveries) =>
      together(() => {
        for (const each of deliveries) {
          know.run(each.webhookId)
          put.run(...valuesOf(each))
        }
      }),
    find: async (webhook, eventId) => deliveryOf(find.get(webhook, eventId)),
    due: async (webhook, now, limit, onlyOnce = false) =>
      deliveriesOf(due.all(webhook, now, onlyOnce ? 1 : 0, limit)),
    dueWebhooks: async (now) =>
      (webhooksWithDue.all() as { id: WebhookId }[]).map(({ id }) => id).filter((id) => hasDue.get(id, now)),
    earliestPending: async (webhook) => deliveryOf(earliest.get(webhook)),
    list: async (webhook, { state, before = Number.MAX_SAFE_INTEGER, limit }) =>
      deliveriesOf(
        state === undefined
          ? listAll.all(webhook, before, limit)
          : listState.all(webhook, state, before, limit),
      ),
    noted: async (webhook, success, at) =>
      together(() => {
        know.run(webhook)
        ;(success ? succeeded : failed).run(at, webhook)
        return healthOf(webhook)
      }),
    health: async (webhooks) => webhooks.map(healthOf),
    sweep: async (before) => Number(sweep.run(before).changes),
    forget: async (webhook) =>
      together(() => {
        for (const statement of forget) statement.run(webhook)
      }),
    close: async () => db.close(),
  }
}

const valuesOf = (each: Delivery) =>
  [
    each.webhookId,
    each.eventId,
    each.position,
    each.stream,
    each.revision,
    each.type,
    each.state,
    JSON.stringify(each.attempts),
    each.tries,
    each.nextAt,
    each.once ? 1 : 0,
    each.queuedAt,
  ] as const

const deliveriesOf = (rows: unknown[]): Delivery[] => rows.map((row) => deliveryOf(row)!)

function deliveryOf(row: unknown): Delivery | undefined {
  if (!row) return undefined
  const { attempts, once, ...rest } = row as Stored
  return { ...rest, attempts: JSON.parse(attempts), once: once === 1 }
}
