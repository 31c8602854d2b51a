/**
 * The main module of the thread that writer-thread.ts starts.
 *
 * @module
 */
import { parentPort } from 'node:worker_threads'
import { Writer } from './writer.ts'
import type { WriterAnswer, WriterCall } from './writer-thread.ts'

/** keyed by the number of the file */
const writers = new Map<number, Writer>()

parentPort?.on('message', (call: WriterCall) => {
  parentPort?.postMessage(answerOf(call))
})

function answerOf(call: WriterCall): WriterAnswer {
  try {
    return { id: call.id, value: done(call) }
  } catch (error) {
    return { id: call.id, error: (error as Error).message }
  }
}

function done({ file, path, method, args }: WriterCall): unknown {
  const known = writers.get(file)
  if (method === 'close') {
    writers.delete(file)
    return known?.close()
  }
  const writer = known ?? new Writer(path)
  writers.set(file, writer)
  return (writer[method] as (...args: unknown[]) => unknown).call(writer, ...args)
}
