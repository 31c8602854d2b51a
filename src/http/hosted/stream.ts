/**
 * What a hosted page is sent while a person signs in: events and pictures as records of bytes, over one answer.
 *
 * A record is its length (4 bytes, big-endian, of what follows), its kind (1 byte), and its content: an event as JSON
 * (kind 0), or a picture (kind 1): the length of its head (2 bytes), its head as JSON `{width, height, scroll}`, a JPEG.
 *
 * @module
 */
import { SignInError } from '../../browser/signin/errors.ts'
import type { Attendance, Frame } from '../../signin/desk.ts'
import type { VisitEvent } from '../../signin/signer.ts'

const EVENT = 0
const PICTURE = 1
/** Proxies drop connections on which nothing comes. */
const QUIET_MS = 8000
/** While a person waits to be let in there is no picture yet. */
const LOOK_MS = 200

/**
 * The body of the answer. A picture is asked for when the one before it was taken, so a slow reader gets fewer, always
 * the newest.
 *
 * @param signal aborts when the person is gone, or the service stops; the visit goes on
 * @param failed told of an error after the answer has begun; the connection breaks off then
 */
export function streamOf(
  attendance: Attendance,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  const { signal: left } = leaving
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const ready = () => (controller.desiredSize ?? 0) > 0
        const send = (record: Uint8Array) => {
          if (!left.aborted && !isSent(controller, record)) leave()
        }
        const broken = (error: unknown) => {
          if (left.aborted) return
          failed(error)
          controller.error(error)
          leave()
        }
        const quiet = setInterval(() => send(eventRecord({ type: 'quiet' })), QUIET_MS)
        const end = () => {
          clearInterval(quiet)
          signal.removeEventListener('abort', leave)
          close(controller)
        }
        left.addEventListener('abort', end, { once: true })
        signal.addEventListener('abort', leave, { once: true })
        if (signal.aborted) return leave()
        pictures(attendance, left, ready, send).catch(broken)
        told(attendance, left, send).then(leave, broken)
      },
      cancel: leave,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 1 }),
  )
}

type Controller = ReadableStreamDefaultController<Uint8Array>

function isSent(controller: Controller, record: Uint8Array): boolean {
  try {
    controller.enqueue(record)
    return true
  } catch {
    // The reader has gone in the same moment.
    return false
  }
}

function close(controller: Controller): void {
  try {
    controller.close()
  } catch {
    // The reader has gone, or it broke off.
  }
}

async function told(
  attendance: Attendance,
  left: AbortSignal,
  send: (record: Uint8Array) => void,
): Promise<void> {
  let last: VisitEvent | undefined
  for await (last of attendance.events(left)) send(eventRecord(last))
  const isOver = last?.type === 'done' || last?.type === 'failed'
  // Whoever has the cookie too, another tab of the same browser, attends from now on.
  if (!isOver) send(eventRecord({ type: 'elsewhere' }))
}

async function pictures(
  attendance: Attendance,
  left: AbortSignal,
  ready: () => boolean,
  send: (record: Uint8Array) => void,
): Promise<void> {
  for (let fresh = true; !left.aborted; ) {
    try {
      if (ready()) {
        send(pictureRecord(await attendance.frame({ fresh })))
        fresh = false
      } else await look()
    } catch (error) {
      if (!(error instanceof SignInError)) throw error
      // Not let in yet, or over: the events say which.
      await look()
    }
  }
}

const look = (): Promise<void> => new Promise((go) => setTimeout(go, LOOK_MS))

/** `elsewhere`: another window attends now, and nothing more comes here. */
export function eventRecord(event: VisitEvent | { readonly type: 'quiet' | 'elsewhere' }): Uint8Array {
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
