/** The tests never fill an event store that is in use. */
import { afterAll, expect, test } from 'bun:test'
import { firstStream } from './must-be-empty.ts'
import { startEventStore } from './server.ts'
import { anEvent, append, aStream, clientOf } from './target.ts'

const server = await startEventStore()
afterAll(() => server.stop())

test('a store that holds an event is recognized by its stream, and an empty one is not refused', async () => {
  expect(await firstStream(server.url)).toBeUndefined()
  const stream = aStream()
  await append(clientOf(server.url), stream, 'no_stream', anEvent())
  expect(await firstStream(server.url)).toBe(stream)
})
