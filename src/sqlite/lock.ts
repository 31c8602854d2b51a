/**
 * A lock on a folder that ends with its process, however that ends: an exclusive transaction on a SQLite file, which
 * the operating system releases.
 *
 * @module
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The folder is in use by another server. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

/**
 * Takes the lock.
 *
 * @returns how to release it
 * @throws {FolderInUse} naming the process that has it
 */
export function lockFolder(folder: string): () => void {
  const holder = join(folder, 'server.pid')
  const db = new DatabaseSync(join(folder, 'server.lock'))
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!/locked/.test((error as Error).message)) throw error
    throw new FolderInUse(
      `DATA_DIR ${folder} is in use by another server${holderOf(holder)}: stop that one, or give this one another DATA_DIR`,
    )
  }
  writeFileSync(holder, `${process.pid}\n`)
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
