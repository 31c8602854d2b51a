/**
 * Whether the embedded log's file is still what was opened. SQLite goes on writing to a file that was deleted or
 * replaced, and all of that is gone with the process.
 *
 * @module
 */
import { statSync } from 'node:fs'

/**
 * Remembers which files a log lies in: the database and its write-ahead log, which is there as long as it is open.
 *
 * @param path of the opened database, or `:memory:`, which nobody can delete
 * @returns a check that costs a few microseconds; it throws when one of the files is not where it was
 */
export function watchFiles(path: string): () => void {
  if (path === ':memory:') return () => {}
  const files = [path, `${path}-wal`].map((name) => ({ name, opened: identityOf(name) }))
  return () => {
    for (const { name, opened } of files)
      if (identityOf(name) !== opened) throw new Error(`${name} was deleted or replaced while it was in use`)
  }
}

function identityOf(name: string): string | undefined {
  const status = statSync(name, { throwIfNoEntry: false })
  return status && `${status.dev}:${status.ino}`
}
