/**
 * Brings write-ahead logs into their files on a thread of its own. A checkpoint waits for the disk twice and copies
 * pages: done by a commit, as SQLite does by default, it would hold up every request for ten milliseconds and more.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { clock } from '../async/clock.ts'
import { delay } from '../async/delay.ts'

/** A database for the thread. It closes it when `state` is not OPEN any more, and says so there. */
export type CheckpointMessage = { readonly path: string; readonly state: Int32Array }

/** What stands in a `state`. */
export const OPEN = 0
export const CLOSING = 1
export const CLOSED = 2

/** Pages of a write-ahead log, 64 MiB, after which a commit begins it anew, with the few pages that the thread has left. */
const MOST_PAGES = 16_384
/** How long the thread may take to close a file, in milliseconds: for ever only where it is no more. */
const CLOSE_MS = 5000

let thread: Worker | undefined

/**
 * Sees to the checkpoints of a database. Where the thread can't, commits do it themselves, once the write-ahead log is large.
 *
 * @param path of the database; nothing is done for `:memory:`
 * @param db the connection that writes to it
 * @returns ends it, and resolves when the thread has closed the file; to be called before `db` is closed
 */
export function checkpointInBackground(path: string, db: DatabaseSync): () => Promise<void> {
  if (path === ':memory:') return async () => {}
  db.exec(`PRAGMA wal_autocheckpoint = ${MOST_PAGES}`)
  thread ??= startThread()
  const worker = thread
  const state = new Int32Array(new SharedArrayBuffer(4))
  worker.postMessage({ path, state } satisfies CheckpointMessage)
  return async () => {
    Atomics.store(state, 0, CLOSING)
    worker.postMessage('close')
    const until = clock.monotonic() + CLOSE_MS
    while (Atomics.load(state, 0) !== CLOSED && clock.monotonic() < until) await delay(1)
  }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url))
  // It must not keep the process alive.
  worker.unref()
  return worker
}
