/** What waits for a person who reads slowly: never more than says how things stand. */
import { expect, test } from 'bun:test'
import { Events } from '../../../src/login/remote/events.ts'
import type { SessionEvent } from '../../../src/login/remote/session.ts'

const address = (n: number): SessionEvent => ({
  type: 'address',
  url: `https://example.com/${n}/${'x'.repeat(1900)}`,
  title: 'y'.repeat(200),
})

async function waitingIn(events: Events): Promise<SessionEvent[]> {
  events.end()
  const waiting: SessionEvent[] = []
  for await (const event of events) waiting.push(event)
  return waiting
}

test('of addresses, loading, focus and positions in the queue the newest waits, in the order of the last change', async () => {
  const events = new Events<SessionEvent>([{ type: 'loading', loading: true }])
  events.add({ type: 'waiting', before: 2 })
  events.add({ type: 'waiting', before: 1 })
  for (let n = 1; n <= 1000; n++) {
    events.add(address(n))
    events.add({ type: 'focus', focus: null })
    events.add({ type: 'loading', loading: n % 2 === 0 })
  }
  events.add({ type: 'done' })
  expect(await waitingIn(events)).toEqual([
    { type: 'waiting', before: 1 },
    address(1000),
    { type: 'focus', focus: null },
    { type: 'loading', loading: true },
    { type: 'done' },
  ])
})

test('however much is told, less than 64 KiB waits, and the end is among it', async () => {
  const events = new Events()
  for (let n = 1; n <= 10_000; n++) {
    events.add(address(n))
    events.add({ type: 'notice', code: 'dialog', text: `${n} ${'z'.repeat(250)}` })
  }
  events.add({ type: 'failed', code: 'closed', text: 'the sign-in was ended' })
  const waiting = await waitingIn(events)
  expect(JSON.stringify(waiting).length).toBeLessThan(64 * 1024)
  expect(waiting.at(-1)).toMatchObject({ type: 'failed' })
  expect(waiting.findLast(({ type }) => type === 'notice')).toMatchObject({
    text: expect.stringMatching(/^10000 /),
  })
})
