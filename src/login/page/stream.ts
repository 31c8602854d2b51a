/**
 * What a hosted page is sent while a person signs in: events and pictures as records of bytes, over one answer.
 *
 * A record is its length (4 bytes, big-endian, of what follows), its kind (1 byte), and its content: an event as JSON
 * (kind 0), or a picture (kind 1): the length of its head (2 bytes), its head as JSON `{width, height, scroll}`, a JPEG.
 *
 * @module
 */
import { ReadableStream as WebStream } from 'node:stream/web'
import { delay } from '../../async/delay.ts'
import { SignInError } from '../../browser/signin/errors.ts'
import type { Frame } from '../../browser/signin/types.ts'
import { StoreUnavailable } from '../../log/event-log.ts'
import type { Viewer } from '../remote/gateway.ts'
import type { SessionEvent } from '../remote/session.ts'

const EVENT = 0
const PICTURE = 1
/** Proxies drop connections on which nothing comes. */
const QUIET_MS = 8000
/** Between two tries for a picture while there is none. */
const LOOK_MS = 200

/**
 * The body of the answer. A record is made when the one before it was taken: a slow reader gets fewer pictures, always
 * the newest, and its events wait in the viewer, which keeps few of them.
 *
 * @param signal aborts when the person is gone, or the service stops; the session goes on
 * @param failed told of an error after the answer has begun; the connection breaks off then
 */
export function streamOf(
  viewer: Viewer,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController()
  const left = AbortSignal.any([signal, leaving.signal])
  // From now on, whenever it is first read.
  const records = recordsOf(viewer, viewer.events(left)[Symbol.asyncIterator](), left)
  const reader: AsyncIterator<Uint8Array, void> = {
    next: () =>
      records.next().catch((error) => {
        failed(error)
        leaving.abort()
        throw error
      }),
    return() {
      // What it waits for ends with that.
      leaving.abort()
      return records.return()
    },
  }
  return WebStream.from({ [Symbol.asyncIterator]: () => reader }) as unknown as ReadableStream<Uint8Array>
}

/** What is sent, each record made when it is asked for: events before pictures, and a sign of life when neither comes. */
async function* recordsOf(
  viewer: Viewer,
  events: AsyncIterator<SessionEvent>,
  left: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  let event = events.next()
  let picture: Promise<Frame | undefined> | undefined
  let isFresh = true
  let last: SessionEvent | undefined
  while (!left.aborted) {
    picture ??= pictureOf(viewer, isFresh)
    const told = event.then((next) => ({ next }))
    const seen = picture.then((frame) => ({ frame }))
    const waiting = new AbortController()
    const quiet = delay(QUIET_MS, AbortSignal.any([waiting.signal, left])).then(() => undefined)
    const some = await Promise.race([told, seen, quiet]).finally(() => waiting.abort())
    if (left.aborted) return
    if (some === undefined) yield eventRecord({ type: 'quiet' })
    else if ('next' in some) {
      if (some.next.done) break
      last = some.next.value
      event = events.next()
      yield eventRecord(last)
    } else {
      picture = undefined
      // One that did not come may have got lost on its way, and the page stand still since.
      isFresh = some.frame === undefined
      if (some.frame) yield pictureRecord(some.frame)
    }
  }
  const hasEnded = last?.type === 'done' || last?.type === 'failed'
  // Whoever has the cookie too, another tab of the same browser, attends from now on.
  if (!hasEnded && !left.aborted) yield eventRecord({ type: 'elsewhere' })
}

/** The next picture; undefined, a little later, when there is none: the session has ended, or its store is away. */
async function pictureOf(viewer: Viewer, fresh: boolean): Promise<Frame | undefined> {
  try {
    return await viewer.frame({ fresh })
  } catch (error) {
    if (!(error instanceof SignInError || error instanceof StoreUnavailable)) throw error
    return delay(LOOK_MS).then(() => undefined)
  }
}

/** `elsewhere`: another window attends now, and nothing more comes here. */
export function eventRecord(event: SessionEvent | { readonly type: 'quiet' | 'elsewhere' }): Uint8Array {
  return record(EVENT, Buffer.from(JSON.stringify(event)))
}

export function pictureRecord({ jpeg, ...rest }: Frame): Uint8Array {
  const head = Buffer.from(JSON.stringify(rest))
  const length = Buffer.alloc(2)
  length.writeUInt16BE(head.length)
  return record(PICTURE, length, head, jpeg)
}

function record(kind: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(1 + parts.reduce((sum, part) => sum + part.length, 0))
  head.writeUInt8(kind, 4)
  return Buffer.concat([head, ...parts])
}
