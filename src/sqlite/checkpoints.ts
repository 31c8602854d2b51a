/**
 * Brings write-ahead logs into their files on a thread of its own. A checkpoint waits for the disk twice and copies
 * pages: done by a commit, as SQLite does by default, it would hold up every request for ten milliseconds and more.
 *
 * @module
 */
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

/** What the thread is told; it answers with the `id` of a path that it has closed. */
export type CheckpointMessage = { readonly id: number; readonly path: string; readonly open: boolean }

/** Pages of a write-ahead log, 64 MiB, after which a commit begins it anew, with the few pages that the thread has left. */
const MOST_PAGES = 16_384

let thread: Worker | undefined
let lastId = 0

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
  const id = ++lastId
  worker.postMessage({ id, path, open: true } satisfies CheckpointMessage)
  return () =>
    new Promise((go) => {
      const heard = (closed: number) => {
        if (closed !== id) return
        worker.off('message', heard)
        worker.unref()
        go()
      }
      worker.on('message', heard)
      // It keeps the process alive as long as somebody waits for its answer, and no longer.
      worker.ref()
      worker.postMessage({ id, path, open: false } satisfies CheckpointMessage)
    })
}

function startThread(): Worker {
  const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url))
  worker.unref()
  return worker
}
