/**
 * Sends messages to the service. All messages of one turn of the event loop travel together.
 *
 * @module
 */
import { setImmediate } from '../../../async/timers.ts'
import type { FromChild } from '../heard.ts'

// Plugins share this process. Without these they cannot speak in its name, and thus in the name of other runs.
const post = process.send?.bind(process)
Object.assign(process, { send: undefined, disconnect: undefined })

let waiting: FromChild[] = []
let written = Promise.withResolvers<void>()

/** Sends a message at the end of this turn. Resolves when it has been written. */
export function send(message: FromChild): Promise<void> {
  if (waiting.length === 0) setImmediate(flush)
  waiting.push(message)
  return written.promise
}

/** Sends a message at once, after those that wait. Resolves when it has been written. */
export function sendNow(message: FromChild): Promise<void> {
  waiting.push(message)
  return flush()
}

function flush(): Promise<void> {
  if (waiting.length === 0) return Promise.resolve()
  const { promise, resolve } = written
  const messages = waiting
  waiting = []
  written = Promise.withResolvers()
  // Without a parent the messages are lost, and the disconnect ends this process.
  post?.(messages, undefined, undefined, () => resolve())
  return promise
}
