/** The in-memory log of the simulation fulfils the contract. */
import { expect, test } from 'bun:test'
import { MemoryLog } from '../simulation/stores/log.ts'
import type { OpenedLog } from './event-log/suite.ts'
import { eventLogContract } from './event-log.ts'
import { aStream, someEvents } from './events.ts'

const shared = new MemoryLog()
const opened: OpenedLog = { log: shared, reopen: async () => opened, close: async () => {} }
eventLogContract('memory', async () => opened)

test('an append is written synchronously, unless it waits for another append', () => {
  const log = new MemoryLog({ id: 'another000000000' })
  expect(log.id).toBe('another000000000')
  const [one, two] = [aStream(), aStream()]
  const first = log.append(one, 'no-stream', someEvents(2))
  expect(log.all.map(({ stream }) => stream)).toEqual([one, one])
  void log.append(two, 'no-stream', someEvents(1), { after: [first] })
  expect(log.all).toHaveLength(2)
})

test('onAppend reports each append that wrote events once, and none after it ended', async () => {
  const log = new MemoryLog()
  const [stream, events] = [aStream(), someEvents(3)]
  const reports: string[][] = []
  const end = log.onAppend((written) => reports.push(written.map(({ id }) => id)))
  await log.append(stream, 'no-stream', events)
  await log.append(stream, 'no-stream', events)
  await expect(log.append(stream, 7, someEvents(1))).rejects.toThrow('is at 2, not at 7')
  expect(reports).toEqual([events.map(({ id }) => id)])
  end()
  await log.append(stream, 2, someEvents(1))
  expect(reports).toHaveLength(1)
})

test('an empty log has no head, and a subscriber catches up at position null', async () => {
  const log = new MemoryLog()
  expect(await log.head()).toBeNull()
  for await (const delivery of log.subscribe(null, { signal: new AbortController().signal })) {
    expect(delivery).toEqual({ kind: 'caught-up', position: null })
    break
  }
})

test('neither the writer nor a reader can change a stored event', async () => {
  const log = new MemoryLog()
  const [stream, [event]] = [aStream(), someEvents(1)]
  await log.append(stream, 'no-stream', [event!])
  const data = event!.event.data as { reason?: string }
  data.reason = 'changed'
  const [read] = await log.readStream(stream)
  expect(read?.event?.data).toMatchObject({ reason: '0' })
  expect(() => Object.assign(read!.event!.data, { reason: 'changed' })).toThrow(TypeError)
})
