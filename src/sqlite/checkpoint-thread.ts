/**
 * The thread of checkpoints.ts.
 *
 * @module
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import { type CheckpointMessage, CLOSED, OPEN } from './checkpoints.ts'

/**
 * Between two checkpoints, in milliseconds: a page that is written often is copied once for all of them. With longer
 * waits each has more to write, and the commits that wait for the same disk come later.
 */
const EVERY_MS = 50

/** undefined: one that could not be opened */
const databases = new Map<Int32Array, DatabaseSync | undefined>()

parentPort?.on('message', (message: CheckpointMessage | 'close') => {
  if (message === 'close') closeSome()
  else
    databases.set(
      message.state,
      attempt(() => openSmall(message.path)),
    )
})

setInterval(() => {
  // Passive: it waits for nobody, and nobody for it.
  for (const db of databases.values()) attempt(() => db?.exec('PRAGMA wal_checkpoint(PASSIVE)'))
}, EVERY_MS)

function openSmall(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA busy_timeout = 5000')
  db.exec('PRAGMA cache_size = -256')
  return db
}

function closeSome(): void {
  for (const [state, db] of databases) {
    if (Atomics.load(state, 0) === OPEN) continue
    attempt(() => db?.close())
    databases.delete(state)
    Atomics.store(state, 0, CLOSED)
  }
}

/** A failure is the commits' to meet and to report: they write the same file. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
