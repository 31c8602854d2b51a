/**
 * The thread of checkpoints.ts.
 *
 * @module
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import type { CheckpointMessage } from './checkpoints.ts'

/** Between two checkpoints, in milliseconds: a page that is written often is copied once for all of them. */
const EVERY_MS = 200

const databases = new Map<number, DatabaseSync>()

parentPort?.on('message', ({ id, path, open }: CheckpointMessage) => {
  if (open) {
    attempt(() => databases.set(id, openSmall(path)))
    return
  }
  attempt(() => databases.get(id)?.close())
  databases.delete(id)
  parentPort?.postMessage(id)
})

setInterval(() => {
  // Passive: it waits for nobody, and nobody for it.
  for (const db of databases.values()) attempt(() => db.exec('PRAGMA wal_checkpoint(PASSIVE)'))
}, EVERY_MS)

function openSmall(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA busy_timeout = 5000')
  db.exec('PRAGMA cache_size = -256')
  return db
}

/** A failure is the commits' to meet and to report: they write the same file. */
function attempt(work: () => unknown): void {
  try {
    work()
  } catch {
    // Tried again next time.
  }
}
