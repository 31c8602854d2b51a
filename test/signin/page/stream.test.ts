/** The stream to a hosted page: it ends with its session or its reader, and a defect ends this stream only. */
import { expect, test } from 'bun:test'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import type { Frame } from '../../../src/signin/browser/types.ts'
import { streamOf } from '../../../src/signin/page/stream.ts'
import { Events } from '../../../src/signin/remote/events.ts'
import type { Viewer } from '../../../src/signin/remote/gateway.ts'
import type { SessionEvent } from '../../../src/signin/remote/session-events.ts'

const FRAME: Frame = { width: 8, height: 6, scroll: { x: 0, y: 0 }, jpeg: Buffer.from('jpeg') }

/** A viewer that receives one event, and then none until it leaves. */
function viewerWith(frame: () => Promise<Frame>): Viewer & { readonly left: () => number } {
  let left = 0
  return {
    async *events(leave): AsyncGenerator<SessionEvent> {
      yield { type: 'loading', loading: true }
      await new Promise<void>((go) => {
        if (leave.aborted) go()
        leave.addEventListener('abort', () => go(), { once: true })
      })
      left++
    },
    frame,
    send: async () => {},
    close: async () => {},
    left: () => left,
  }
}

const never = () => new Promise<never>(() => {})
const unheard = (error: unknown) => {
  throw error
}

async function all(stream: ReadableStream<Uint8Array>): Promise<number> {
  let records = 0
  for await (const _ of stream) records++
  return records
}

test('an error of the viewer breaks off the stream, is reported, and releases the viewer', async () => {
  const errors: unknown[] = []
  const viewer = viewerWith(() => Promise.reject(new Error('a defect')))
  const stream = streamOf(viewer, new AbortController().signal, (error) => errors.push(error))
  await expect(all(stream)).rejects.toThrow('a defect')
  while (viewer.left() === 0) await new Promise((go) => setTimeout(go, 1))
  expect(errors).toMatchObject([{ message: 'a defect' }])
})

test('after a frame that failed, the next frame is requested fresh', async () => {
  const freshness: unknown[] = []
  const frame: Viewer['frame'] = async (options) => {
    freshness.push(options?.fresh)
    if (freshness.length === 3) throw new StoreUnavailable('away')
    return FRAME
  }
  const viewer = { ...viewerWith(async () => FRAME), frame }
  const reader = streamOf(viewer, new AbortController().signal, unheard).getReader()
  while (freshness.length < 5) await reader.read()
  expect(freshness.slice(0, 5)).toEqual([true, false, false, true, false])
  await reader.cancel()
})

test('a stream whose signal was aborted before it began sends nothing', async () => {
  const viewer = viewerWith(async () => FRAME)
  expect(await all(streamOf(viewer, AbortSignal.abort(), unheard))).toBe(0)
})

test('a stream ends when the service stops, and releases the viewer when its reader leaves', async () => {
  const stopping = new AbortController()
  const one = viewerWith(never)
  const records = all(streamOf(one, stopping.signal, unheard))
  const two = viewerWith(never)
  const reader = streamOf(two, stopping.signal, unheard).getReader()
  await reader.read()
  await reader.cancel()
  while (two.left() === 0) await new Promise((go) => setTimeout(go, 1))
  stopping.abort()
  expect(await records).toBe(1)
})

test('events for a reader that takes nothing wait in the queue, where the newest replaces earlier ones', async () => {
  const events = new Events()
  const viewer = { ...viewerWith(never), events: () => events }
  const reader = streamOf(viewer, new AbortController().signal, unheard).getReader()
  const addresses = 2000
  for (let n = 1; n <= addresses; n++) {
    events.add({ type: 'address', url: `https://example.com/${n}`, title: '' })
    // Gives the stream a chance to take each event.
    await new Promise((go) => setImmediate(go))
  }
  events.add({ type: 'done' })
  const sentEvents: SessionEvent[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read())
    sentEvents.push(JSON.parse(Buffer.from(next.value.subarray(5)).toString()))
  expect(sentEvents.length).toBeLessThanOrEqual(4)
  expect(sentEvents.slice(-2)).toEqual([
    { type: 'address', url: `https://example.com/${addresses}`, title: '' },
    { type: 'done' },
  ])
})

test('a reader that takes nothing causes at most one further frame', async () => {
  let pictures = 0
  const viewer = viewerWith(async () => {
    pictures++
    return FRAME
  })
  const reader = streamOf(viewer, new AbortController().signal, unheard).getReader()
  await reader.read()
  await reader.read()
  const before = pictures
  for (let i = 0; i < 20; i++) await new Promise((go) => setTimeout(go, 1))
  expect(pictures - before).toBeLessThanOrEqual(1)
  await reader.cancel()
})
