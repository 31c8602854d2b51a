/**
 * What is known of sign-ins beside the log, embedded: in a SQLite file.
 *
 * @module
 */
import type { AccountId } from '../../domain/ids.ts'
import { openDatabase } from '../../sqlite/open.ts'
import { MOST_LINKS, type SignInStore } from '../sign-in-store.ts'

const SCHEMA = `
CREATE TABLE IF NOT EXISTS links (
  hash TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  source TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  opened TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS links_of ON links (account, source, expires_at);
CREATE TABLE IF NOT EXISTS login_times (
  account TEXT NOT NULL,
  source TEXT NOT NULL,
  used_at INTEGER,
  checked_at INTEGER,
  PRIMARY KEY (account, source)
) STRICT, WITHOUT ROWID;
`
const OLDEST = `
DELETE FROM links WHERE hash IN (
  SELECT hash FROM links WHERE account = ? AND source = ? AND opened IS NULL
  ORDER BY expires_at DESC, hash LIMIT -1 OFFSET ${MOST_LINKS})`
const OPENED_BEFORE = `
DELETE FROM links WHERE hash <> ?1 AND opened IS NOT NULL
  AND (account, source) = (SELECT account, source FROM links WHERE hash = ?1)`
const NOTE = {
  used: `INSERT INTO login_times (account, source, used_at) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET used_at = max(coalesce(used_at, 0), excluded.used_at)`,
  checked: `INSERT INTO login_times (account, source, checked_at) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET checked_at = max(coalesce(checked_at, 0), excluded.checked_at)`,
} as const

/** An embedded back end with how to close it. */
export type SqliteSignInStore = SignInStore & { shut(): Promise<void> }

type LinkRow = { account: AccountId; source: string; expires_at: number; opened: string | null }
type TimesRow = { used_at: number | null; checked_at: number | null }

/** Opens or creates it. @param path a file, or `:memory:` */
export function openSqliteSignInStore(path: string): SqliteSignInStore {
  const db = openDatabase(path, { durable: false })
  db.exec(SCHEMA)
  const expire = db.prepare('DELETE FROM links WHERE expires_at <= ?')
  const offer = db.prepare(
    'INSERT OR REPLACE INTO links (hash, account, source, expires_at) VALUES (?, ?, ?, ?)',
  )
  const oldest = db.prepare(OLDEST)
  const find = db.prepare(
    'SELECT account, source, expires_at, opened FROM links WHERE hash = ? AND expires_at > ?',
  )
  const open = db.prepare('UPDATE links SET opened = ? WHERE hash = ? AND opened IS NULL AND expires_at > ?')
  const openedBefore = db.prepare(OPENED_BEFORE)
  const close = db.prepare('DELETE FROM links WHERE hash = ?')
  const withdraw = db.prepare('DELETE FROM links WHERE account = ? AND source = ?')
  const pending = db.prepare(
    'SELECT 1 FROM links WHERE account = ? AND source = ? AND expires_at > ? LIMIT 1',
  )
  const note = { used: db.prepare(NOTE.used), checked: db.prepare(NOTE.checked) }
  const times = db.prepare('SELECT used_at, checked_at FROM login_times WHERE account = ? AND source = ?')
  const forget = db.prepare('DELETE FROM login_times WHERE account = ? AND source = ?')
  return {
    async offer(hash, { account, source, expiresAt }, now) {
      expire.run(now)
      offer.run(hash, account, source, expiresAt)
      oldest.run(account, source)
    },
    async find(hash, now) {
      const row = find.get(hash, now) as LinkRow | undefined
      return (
        row && { account: row.account, source: row.source, expiresAt: row.expires_at, opened: row.opened }
      )
    },
    async open(hash, signIn, now) {
      const isFirst = Number(open.run(signIn, hash, now).changes) === 1
      if (isFirst) openedBefore.run(hash)
      return isFirst
    },
    close: async (hash) => void close.run(hash),
    withdraw: async (account, source) => void withdraw.run(account, source),
    pending: async (account, sources, now) =>
      new Set(sources.filter((source) => pending.get(account, source, now))),
    note: async (account, source, what, now) => void note[what].run(account, source, now),
    times: async (account, sources) =>
      sources.map((source) => {
        const row = times.get(account, source) as TimesRow | undefined
        return { usedAt: row?.used_at ?? null, checkedAt: row?.checked_at ?? null }
      }),
    forget: async (account, source) => void forget.run(account, source),
    shut: async () => db.close(),
  }
}
