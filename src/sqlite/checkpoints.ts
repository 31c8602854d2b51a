/**
 * Checkpoints write-ahead logs on a separate thread. A checkpoint syncs twice and copies pages. As part of a commit,
 * which is SQLite's default, it would delay every request by ten milliseconds or more.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { clock } from '../async/clock.ts'
import { delay } from '../async/delay.ts'

/** A database for the thread. The thread closes it when `state` is no longer OPEN, then sets CLOSED there. */
export type CheckpointMessage = { readonly path: string; readonly state: Int32Array }

/** The values of a `state`. */
export const OPEN = 0
export const CLOSING = 1
export const CLOSED = 2

/** At this many pages of a write-ahead log, 64 MiB, a commit checkpoints the few pages that the thread has left. */
const MOST_PAGES = 16_384
/** How long to wait for the thread to close a file, in milliseconds. A thread that has died never does. */
const CLOSE_MS = 5000

let thread: Worker | undefined

/**
 * Checkpoints a database in the background. If the thread fails, commits do it once the write-ahead log is large.
 *
 * @param path of the database; nothing is done for `:memory:`
 * @param db the connection that writes to it
 * @returns a function that stops this and resolves when the thread has closed the file; call it before closing `db`
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
