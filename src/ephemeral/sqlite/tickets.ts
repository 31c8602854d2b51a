/**
 * Tickets in a SQLite file.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { orUnavailable } from '../../log/away.ts'
import { openDatabase } from '../../sqlite/open.ts'
import type { FoundTicket, Tickets } from '../tickets.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS tickets (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  owner TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  text TEXT NOT NULL,
  taken_by TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tickets_of ON tickets (kind, owner, expires_at);
`
const COLUMNS = 'hash, kind, owner, expires_at AS expiresAt, text, taken_by AS takenBy'

/** An embedded back end that can be closed. */
export type SqliteTickets = Tickets & { close(): Promise<void> }

/** Opens or creates the store. @param path a file, or `:memory:` */
export function openSqliteTickets(path: string): SqliteTickets {
  const db = openDatabase(path)
  db.exec(SCHEMA)
  const expire = db.prepare('DELETE FROM tickets WHERE expires_at <= ?')
  const put = db.prepare(
    'INSERT OR REPLACE INTO tickets (hash, kind, owner, expires_at, text) VALUES (?, ?, ?, ?, ?)',
  )
  const replace = db.prepare('UPDATE tickets SET expires_at = ?, text = ? WHERE hash = ?')
  const find = db.prepare(`SELECT ${COLUMNS} FROM tickets WHERE hash = ? AND expires_at > ?`)
  const take = db.prepare(
    'UPDATE tickets SET taken_by = ?1 WHERE hash = ?2 AND expires_at > ?3 AND coalesce(taken_by, ?1) = ?1',
  )
  const list = db.prepare(
    `SELECT ${COLUMNS} FROM tickets WHERE kind = ? AND owner = ? AND expires_at > ? ORDER BY expires_at DESC, hash`,
  )
  const end = db.prepare('DELETE FROM tickets WHERE hash = ? AND kind = ? AND owner = ?')
  const ask = async <T>(work: () => T): Promise<T> =>
    orUnavailable('the file of sessions and links failed', work)
  return {
    put: (hash, { kind, owner, expiresAt, text }) =>
      ask(() => {
        expire.run(clock.now())
        put.run(hash, kind, owner, expiresAt, text)
      }),
    replace: (hash, { expiresAt, text }) => ask(() => void replace.run(expiresAt, text, hash)),
    find: (hash, now) => ask(() => (find.get(hash, now) ?? undefined) as FoundTicket | undefined),
    take: (hash, by, now) => ask(() => Number(take.run(by, hash, now).changes) === 1),
    list: (kind, owner, now) => ask(() => list.all(kind, owner, now) as FoundTicket[]),
    end: (kind, owner, hashes) =>
      ask(() => {
        for (const hash of hashes) end.run(hash, kind, owner)
      }),
    close: async () => db.close(),
  }
}
