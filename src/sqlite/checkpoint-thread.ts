/**
 * The thread of checkpoints.ts.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import { type CheckpointMessage, CLOSED, OPEN } from './checkpoints.ts'

/**
 * The interval of checkpoints, in milliseconds. A page that is written often within it is copied only once. With a
 * longer interval each checkpoint would write more and delay the commits that wait for the same disk.
 */
const EVERY_MS = 50

/** undefined: the database could not be opened */
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
  // A passive checkpoint neither waits for other connections nor blocks them.
  for (const db of databases.values()) attempt(() => db?.exec('PRAGMA wal_checkpoint(PASSIVE)'))
}, EVERY_MS)

function openSmall(path: string): DatabaseSync {
  // The file may have been moved away meanwhile. A new one must not take its place.
  if (!existsSync(path)) throw new Error(`${path} is gone`)
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

/** Ignores failures: a commit writes the same file, so it fails too and reports the error. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
