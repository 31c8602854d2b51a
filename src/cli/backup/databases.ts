/**
 * Copies the SQLite files of the data folder, all as of one moment.
 *
 * @module
 */
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { syncToDisk } from '../../sqlite/durable.ts'
import { connect, damageOf } from '../../sqlite/open.ts'
import { giveNewLogId } from '../../stores.ts'
import { CommandFailed } from '../failure.ts'

/** Read models and volatile data are rebuilt or may be lost. */
const DATABASES = ['log.db', 'artifacts.db', 'vault.db', 'webhooks.db'] as const
/** All pages at once: a copy in steps would start over after each write of the server. */
const ALL_PAGES = 2 ** 31 - 1
/** How often to look for a moment without a write to the log. */
const TRIES = 1000

/**
 * Copies and checks the databases. The copy of the log gets a new id: whoever follows the log by positions must notice
 * that events after the copy are gone.
 *
 * @returns the names of the copied files
 * @throws {CommandFailed} naming a file that is damaged
 */
export async function copyDatabases(from: string, to: string): Promise<string[]> {
  const names = DATABASES.filter((name) => existsSync(join(from, name)))
  const sources = new Map(names.map((name) => [name, connect(join(from, name))]))
  try {
    pin(sources, join(from, 'log.db'))
    // The vault first: while its file is read, which takes milliseconds, the server cannot write to it.
    for (const [name, db] of [...sources].sort(([a], [b]) => rank(a) - rank(b))) {
      await copy(db, join(from, name), join(to, name))
      db.exec('ROLLBACK')
    }
  } finally {
    for (const db of sources.values()) db.close()
  }
  for (const name of names) check(join(from, name), join(to, name))
  return names
}

const rank = (name: string): number => Number(name !== 'vault.db')

/**
 * Begins a read transaction in each database, so that all show the same moment. The log refers to what is in the others:
 * a saved login is written before its event and deleted after the event of its successor. So the moments are the same if
 * the log has not moved meanwhile.
 */
function pin(sources: ReadonlyMap<string, DatabaseSync>, logPath: string): void {
  const log = sources.get('log.db')
  const current = log && connect(logPath)
  try {
    for (let tries = 1; ; tries++) {
      for (const db of sources.values()) {
        db.exec('BEGIN')
        db.prepare('SELECT count(*) FROM sqlite_schema').get()
      }
      if (!log || !current || tries === TRIES || headOf(log) === headOf(current)) return
      for (const db of sources.values()) db.exec('ROLLBACK')
    }
  } finally {
    current?.close()
  }
}

const headOf = (db: DatabaseSync): number =>
  (db.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get() as { head: number }).head

async function copy(db: DatabaseSync, source: string, target: string): Promise<void> {
  try {
    await backup(db, target, { rate: ALL_PAGES })
  } catch (error) {
    throw new CommandFailed(`${source} cannot be copied to ${target}: ${(error as Error).message}`)
  }
  chmodSync(target, 0o600)
}

/** Checks a copy, gives it a new id if it is the log's, and makes it durable. */
function check(source: string, target: string): void {
  const db = connect(target)
  try {
    const damage = damageOf(db)
    if (damage !== undefined)
      throw new CommandFailed(`${source} is damaged: ${damage}. Restore it from an earlier backup.`)
    if (source.endsWith('log.db')) giveNewLogId(db)
  } finally {
    db.close()
  }
  syncToDisk(target)
}
