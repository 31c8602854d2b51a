/**
 * The doctor's deep check: SQLite reads every page of the data folder's files, and compares tables with their indexes.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config.ts'
import { connect, damageOf } from '../../sqlite/open.ts'
import { type Finding, fail, ok } from './finding.ts'

const FROM_BACKUP = 'stop the server and restore DATA_DIR from your backup'
/** What to do about each file if it is damaged. */
const REMEDIES = {
  'log.db': FROM_BACKUP,
  'artifacts.db': FROM_BACKUP,
  'vault.db': `${FROM_BACKUP}; without it, people join again and logins are made again`,
  'webhooks.db':
    'stop the server and delete the file; events since the last checkpoint of each webhook are delivered again',
  'read-models.db': 'stop the server and delete the file; it is rebuilt from the log',
  'volatile.db': 'stop the server and delete the file; people sign in again',
} as const

/** One finding for each file that exists. A large log takes minutes. A running server is not disturbed. */
export const filesInFull = ({ dataDir }: Config): Finding[] =>
  Object.entries(REMEDIES)
    .map(([name, remedy]) => ({ name, remedy, path: join(dataDir, name) }))
    .filter(({ path }) => existsSync(path))
    .map(({ name, remedy, path }) => {
      const damage = damageIn(path)
      return damage === undefined
        ? ok(name, 'every page is whole')
        : fail(name, `${path} is damaged (${damage}): ${remedy}`)
    })

function damageIn(path: string): string | undefined {
  let db: DatabaseSync | undefined
  try {
    db = connect(path, { readOnly: true })
    return damageOf(db)
  } catch (error) {
    return (error as Error).message
  } finally {
    db?.close()
  }
}
