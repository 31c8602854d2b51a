/**
 * The stream of a hosted page during a sign-in: events and pictures as binary records, in one HTTP response.
 *
 * A record consists of the length of the rest (4 bytes, big-endian), the kind (1 byte) and the content. Kind 0 is an
 * event as JSON. Kind 1 is a picture: the length of its head (2 bytes), the head as JSON `{width, height, scroll}`, and
 * a JPEG.
 *
 * @module
 */
import { ReadableStream as WebStream } from 'node:stream/web'
import { delay } from '../../async/delay.ts'
import { StoreUnavailable } from '../../log/event-log.ts'
import { SignInError } from '../browser/errors.ts'
import type { Frame } from '../browser/types.ts'
import { isEnd } from '../remote/events.ts'
import type { Viewer } from '../remote/gateway.ts'
import type { SessionEvent } from '../remote/session-events.ts'

const EVENT = 0
const PICTURE = 1
/** Proxies drop idle connections. */
const QUIET_MS = 8000
/** The pause between two requests for a picture while none is available. */
const LOOK_MS = 200

/**
 * The body of the response. Each record is made when the reader has taken the previous one: a slow reader gets fewer
 * pictures, always the newest, and its events wait in the viewer, which keeps only a few.
 *
 * @param signal aborts when the person disconnects or the service stops; the session continues
 * @param failed called with an error that happens after the response has begun; the connection is then closed
 */
export function streamOf(
  viewer: Viewer,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController()
  const left = AbortSignal.any([signal, leaving.signal])
  // Collects events from now on, even if the body is first read later.
  const records = recordsOf(viewer, viewer.events(left)[Symbol.asyncIterator](), left)
  const reader: AsyncIterator<Uint8Array, void> = {
    next: () =>
      records.next().catch((error) => {
        failed(error)
        leaving.abort()
        throw error
      }),
    return() {
      // This ends a pending wait of the generator.
      leaving.abort()
      return records.return()
    },
  }
  return WebStream.from({ [Symbol.asyncIterator]: () => reader }) as unknown as ReadableStream<Uint8Array>
}

/** The records, each made on demand: events before pictures, and a keep-alive when there is neither. */
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
    const nextEvent = event.then((next) => ({ next }))
    const nextPicture = picture.then((frame) => ({ frame }))
    const waiting = new AbortController()
    const quiet = delay(QUIET_MS, AbortSignal.any([waiting.signal, left])).then(() => undefined)
    const some = await Promise.race([nextEvent, nextPicture, quiet]).finally(() => waiting.abort())
    if (left.aborted) return
    if (some === undefined) yield eventRecord({ type: 'quiet' })
    else if ('next' in some) {
      if (some.next.done) break
      last = some.next.value
      event = events.next()
      yield eventRecord(last)
    } else {
      picture = undefined
      // A missing picture may have been lost in transit, and a static page produces no further one.
      isFresh = some.frame === undefined
      if (some.frame) yield pictureRecord(some.frame)
    }
  }
  const hasEnded = last !== undefined && isEnd(last)
  // Another tab of the same browser, which has the same cookie, has taken over.
  if (!hasEnded && !left.aborted) yield eventRecord({ type: 'elsewhere' })
}

/** The next picture; undefined after a short delay if the session has ended or its store is unavailable. */
async function pictureOf(viewer: Viewer, fresh: boolean): Promise<Frame | undefined> {
  try {
    return await viewer.frame({ fresh })
  } catch (error) {
    if (!(error instanceof SignInError || error instanceof StoreUnavailable)) throw error
    return delay(LOOK_MS).then(() => undefined)
  }
}

/** `elsewhere`: another window has taken over, and this stream ends. */
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
