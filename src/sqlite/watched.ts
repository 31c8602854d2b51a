/**
 * Checks that a database's files are still the ones that were opened. SQLite continues to write to a file that
 * was deleted or replaced, and those writes are lost when the process exits.
 *
 * @module
 */
import { statSync } from 'node:fs'

/**
 * Remembers the identity of a database's files: the file and its write-ahead log, which exists while it is open.
 *
 * @param path of the opened database, or `:memory:`, which is never checked
 * @returns a check that costs a few microseconds; it throws when one of the files was moved, deleted or replaced
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
