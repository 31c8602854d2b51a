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
`
const OLDEST = `
DELETE FROM links WHERE hash IN (
  SELECT hash FROM links WHERE account = ? AND source = ? AND opened IS NULL
  ORDER BY expires_at DESC, hash LIMIT -1 OFFSET ${MOST_LINKS})`
const OPENED_BEFORE = `
DELETE FROM links WHERE hash <> ?1 AND opened IS NOT NULL
  AND (account, source) = (SELECT account, source FROM links WHERE hash = ?1)`

/** An embedded back end with how to close it. */
export type SqliteSignInStore = SignInStore & { shut(): Promise<void> }

type LinkRow = { account: AccountId; source: string; expires_at: number; opened: string | null }

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
    shut: async () => db.close(),
  }
}
