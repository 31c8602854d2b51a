/** The page of a run that works is told when the run has more items, which are no events. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Collected } from '../../src/worker/collected.ts'
import { type House, startHouse, startRun, type Visitor } from './house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

/** Reads a stream until a text comes. */
async function until(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<void> {
  for (let all = ''; !all.includes(text); ) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream ended without ${text}`)
    all += new TextDecoder().decode(value)
  }
}

test('a change is reported when the items of a run grow', async () => {
  const id = await startRun(ann, house, 'otter')
  const { runId, accountId, attempt } = await house.service.start(id)
  const collected = new Collected()
  house.stores.liveItems.share({ runId, accountId, attempt }, collected)
  const stream = await ann.send(`${house.own}/changes?run=${id}`)
  const reader = stream.body!.getReader()
  // What the run had when the stream began is no change.
  const growing = setInterval(() => collected.add({ text: `{"id":"${collected.count}"}`, count: 1 }), 100)
  for (let changes = 0; changes < 2; changes++) await until(reader, 'event: change')
  clearInterval(growing)
  await reader.cancel()
})

test("the items of another account's run are not followed", async () => {
  const other = await house.service.openAccount()
  const kickoff = await house.service.post('/v1/sample/search', other.key, { query: 'x' })
  const { runId, accountId, attempt } = await house.service.start(kickoff.headers.get('run-id')!)
  const collected = new Collected()
  let reads = 0
  house.stores.liveItems.share(
    { runId, accountId, attempt },
    Object.defineProperty(collected, 'batches', { get: () => reads++ }),
  )
  const stream = await ann.send(`${house.own}/changes?run=${runId}`)
  const reader = stream.body!.getReader()
  const own = await startRun(ann, house, 'badger')
  await house.service.start(own)
  await reader.cancel()
  expect(reads).toBe(0)
})
