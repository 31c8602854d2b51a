/**
 * What is known of sign-ins beside the log, embedded: in a SQLite file.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import type { AccountId } from '../../domain/ids.ts'
import { openDatabase } from '../../sqlite/open.ts'
import { type KnownLink, type Link, type LoginTimes, MOST_LINKS, type SignInStore } from '../sign-in-store.ts'

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

/** Opens or creates it. @param path a file, or `:memory:` */
export function openSqliteSignInStore(path: string): SqliteSignInStore {
  const db = openDatabase(path, { durable: false })
  db.exec(SCHEMA)
  return new InSqlite(db)
}

type LinkRow = { account: AccountId; source: string; expires_at: number; opened: string | null }
type TimesRow = { used_at: number | null; checked_at: number | null }

class InSqlite implements SqliteSignInStore {
  private readonly statements

  constructor(private readonly db: DatabaseSync) {
    this.statements = {
      expire: db.prepare('DELETE FROM links WHERE expires_at <= ?'),
      offer: db.prepare(
        'INSERT OR REPLACE INTO links (hash, account, source, expires_at) VALUES (?, ?, ?, ?)',
      ),
      oldest: db.prepare(OLDEST),
      find: db.prepare(
        'SELECT account, source, expires_at, opened FROM links WHERE hash = ? AND expires_at > ?',
      ),
      open: db.prepare('UPDATE links SET opened = ? WHERE hash = ? AND opened IS NULL AND expires_at > ?'),
      openedBefore: db.prepare(OPENED_BEFORE),
      close: db.prepare('DELETE FROM links WHERE hash = ?'),
      withdraw: db.prepare('DELETE FROM links WHERE account = ? AND source = ?'),
      pending: db.prepare('SELECT 1 FROM links WHERE account = ? AND source = ? AND expires_at > ? LIMIT 1'),
      used: db.prepare(NOTE.used),
      checked: db.prepare(NOTE.checked),
      times: db.prepare('SELECT used_at, checked_at FROM login_times WHERE account = ? AND source = ?'),
      forget: db.prepare('DELETE FROM login_times WHERE account = ? AND source = ?'),
    }
  }

  async offer(hash: string, { account, source, expiresAt }: Link, now: number): Promise<void> {
    const { expire, offer, oldest } = this.statements
    expire.run(now)
    offer.run(hash, account, source, expiresAt)
    oldest.run(account, source)
  }

  async find(hash: string, now: number): Promise<KnownLink | undefined> {
    const row = this.statements.find.get(hash, now) as LinkRow | undefined
    return row && { account: row.account, source: row.source, expiresAt: row.expires_at, opened: row.opened }
  }

  async open(hash: string, signIn: string, now: number): Promise<boolean> {
    const { open, openedBefore } = this.statements
    if (Number(open.run(signIn, hash, now).changes) !== 1) return false
    openedBefore.run(hash)
    return true
  }

  async close(hash: string): Promise<void> {
    this.statements.close.run(hash)
  }

  async withdraw(account: AccountId, source: string): Promise<void> {
    this.statements.withdraw.run(account, source)
  }

  async pending(account: AccountId, sources: readonly string[], now: number): Promise<ReadonlySet<string>> {
    return new Set(sources.filter((source) => this.statements.pending.get(account, source, now)))
  }

  async note(account: AccountId, source: string, what: 'used' | 'checked', now: number): Promise<void> {
    this.statements[what].run(account, source, now)
  }

  async times(account: AccountId, sources: readonly string[]): Promise<readonly LoginTimes[]> {
    return sources.map((source) => {
      const row = this.statements.times.get(account, source) as TimesRow | undefined
      return { usedAt: row?.used_at ?? null, checkedAt: row?.checked_at ?? null }
    })
  }

  async forget(account: AccountId, source: string): Promise<void> {
    this.statements.forget.run(account, source)
  }

  async shut(): Promise<void> {
    this.db.close()
  }
}
