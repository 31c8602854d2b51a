/**
 * SQLite files that only their owner can read, whatever the umask and the mode of their folder.
 *
 * @module
 */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

const OWNER_ONLY = 0o600
const OTHERS = 0o077

/**
 * Creates a file if it is missing, and takes away the rights of others. SQLite gives its journals the mode of the file.
 * Never throws: SQLite's own errors say more about a file that can't be opened.
 */
export function makePrivate(path: string): void {
  if (path === ':memory:') return
  try {
    closeSync(openSync(path, 'a', OWNER_ONLY))
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
      if (isOpenToOthers(file)) chmodSync(file, OWNER_ONLY)
    }
  } catch {
    // The file is on a read-only disk, in a missing folder, or another user's.
  }
}

/** Whether users other than its owner may access a file; undefined if it does not exist. */
export function isOpenToOthers(path: string): boolean | undefined {
  const status = statSync(path, { throwIfNoEntry: false })
  return status && (status.mode & OTHERS) !== 0
}
