/**
 * Sends messages to the service. All messages of one turn of the event loop travel together, unless they are long.
 *
 * @module
 */
import { setImmediate } from '../../../async/timers.ts'
import type { FromChild } from '../from-child.ts'

// Plugins share this process. Without these they cannot speak in its name, and thus in the name of other runs.
const post = process.send?.bind(process)
Object.assign(process, { send: undefined, disconnect: undefined })

/** A batch of more than one message has at most so many characters of results. */
const BATCH_CHARS = 1024 * 1024

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
  const batches = batchesOf(messages)
  for (const batch of batches)
    post?.(batch, undefined, undefined, batch === batches.at(-1) ? () => resolve() : undefined)
  return promise
}

/** Splits messages so that several long ones are not one message that the service would refuse as too long. */
function batchesOf(messages: readonly FromChild[]): FromChild[][] {
  let chars = 0
  const batches: FromChild[][] = []
  for (const message of messages) {
    const length = charsOf(message)
    const current = batches.at(-1)
    if (current && chars + length <= BATCH_CHARS) current.push(message)
    else batches.push([message])
    chars = batches.at(-1) === current ? chars + length : length
  }
  return batches
}

/** The characters of the parts that may be long. */
const charsOf = (message: FromChild): number =>
  ('text' in message ? message.text.length : 0) +
  ('end' in message && message.end.status === 'succeeded' ? message.end.rest.length : 0)
