/**
 * A lock on a folder, held by an exclusive transaction on a SQLite file. The operating system releases it when the
 * process ends, however it ends.
 *
 * @module
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makePrivate } from './private-file.ts'

/** The folder is in use by another server. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

/**
 * Acquires the lock.
 *
 * @returns a function that releases it
 * @throws {FolderInUse} naming the process that holds it
 */
export function lockFolder(folder: string): () => void {
  const holder = join(folder, 'server.pid')
  const path = join(folder, 'server.lock')
  makePrivate(path)
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!/locked/.test((error as Error).message)) throw error
    throw new FolderInUse(
      `DATA_DIR ${folder} is in use by another server${holderOf(holder)}: stop that server, or give this one a different DATA_DIR`,
    )
  }
  writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 })
  return () => {
    rmSync(holder, { force: true })
    db.close()
  }
}

function holderOf(path: string): string {
  try {
    return ` (process ${readFileSync(path, 'utf8').trim()})`
  } catch {
    return ''
  }
}
