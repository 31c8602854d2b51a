/**
 * The main thread's interface to the thread that writes read models. One thread serves all files of the process.
 *
 * @module
 */
import { Worker } from 'node:worker_threads'
import type { Writer } from './writer.ts'

/** A call to a file's writer. The first call opens the writer, and `close` ends it. */
export type WriterCall = {
  readonly id: number
  readonly file: number
  readonly path: string
  readonly method: keyof Writer
  readonly args: readonly unknown[]
}
/** The answer to a call. */
export type WriterAnswer = { readonly id: number; readonly value?: unknown; readonly error?: string }

const pending = new Map<number, PromiseWithResolvers<unknown>>()
const open = new Set<number>()
let calls = 0
let files = 0
let thread: Worker | undefined

/** The writer of one file. Runs calls one at a time, in order. Keeps the process alive until it is closed. */
export class WriterThread {
  private readonly file = ++files

  constructor(private readonly path: string) {
    open.add(this.file)
  }

  /** Calls a method of the file's {@link Writer}. @throws an error with the message of the method's error */
  call<M extends keyof Writer>(method: M, ...args: Parameters<Writer[M]>): Promise<ReturnType<Writer[M]>> {
    thread ??= startThread()
    const { file, path } = this
    const id = ++calls
    const answer = Promise.withResolvers<unknown>()
    pending.set(id, answer)
    thread.postMessage({ id, file, path, method, args } satisfies WriterCall)
    return answer.promise as Promise<ReturnType<Writer[M]>>
  }

  /** Closes the file, and ends the thread after the last file. */
  async close(): Promise<void> {
    if (!open.has(this.file)) return
    await this.call('close').finally(() => open.delete(this.file))
    if (open.size > 0) return
    const last = thread
    thread = undefined
    await last?.terminate()
  }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./writer-main.ts', import.meta.url))
  worker.on('message', ({ id, value, error }: WriterAnswer) => {
    const answer = pending.get(id)
    pending.delete(id)
    if (error === undefined) answer?.resolve(value)
    else answer?.reject(new Error(error))
  })
  // The next call starts a new thread.
  worker.on('error', (error) => {
    for (const answer of pending.values()) answer.reject(error)
    pending.clear()
    thread = undefined
  })
  return worker
}
