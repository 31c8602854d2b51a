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
/** How many times to look for a moment without a write to the log. */
const LOOKS = 1000

/**
 * Copies and checks the databases. The copy of the log gets a new id: whoever follows the log by positions must notice
 * that events after the copy are gone.
 *
 * @returns the names of the copied files
 * @throws {CommandFailed} naming a file that is damaged or can't be copied; if the log is written to without a pause
 */
export async function copyDatabases(from: string, to: string): Promise<string[]> {
  const names = DATABASES.filter((name) => existsSync(join(from, name)))
  const sources = new Map(names.map((name) => [name, connect(join(from, name))]))
  try {
    pinLog(sources, join(from, 'log.db'))
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

/** {@link pin}, with the log that the sources contain. */
function pinLog(sources: ReadonlyMap<string, DatabaseSync>, path: string): void {
  const log = sources.get('log.db')
  const current = log && connect(path)
  try {
    pin([...sources.values()], () => !log || !current || headOf(log) === headOf(current))
  } finally {
    current?.close()
  }
}

/**
 * Begins a read transaction in each database, so that all show the same moment. The log refers to what is in the others:
 * a saved login is written before its event and deleted after the event of its successor. So the moments are the same if
 * the log has not moved meanwhile.
 *
 * @param hasNotMoved whether the log in its transaction is the current one
 * @throws {CommandFailed} if the log moved at each look
 */
export function pin(sources: readonly DatabaseSync[], hasNotMoved: () => boolean): void {
  for (let look = 0; look < LOOKS; look++) {
    for (const db of sources) {
      db.exec('BEGIN')
      db.prepare('SELECT count(*) FROM sqlite_schema').get()
    }
    if (hasNotMoved()) return
    for (const db of sources) db.exec('ROLLBACK')
  }
  throw new CommandFailed(
    'The server writes events without a pause, so its files cannot be copied as of one moment. Run the backup again when it has less to do, or stop the server first.',
  )
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
