/** The event queue of a slow reader: it holds no more than the current state needs. */
import { expect, test } from 'bun:test'
import { Events } from '../../../src/signin/remote/events.ts'
import type { SessionEvent } from '../../../src/signin/remote/session-events.ts'

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

test('the queue keeps only the newest address, loading, focus and waiting event, ordered by their last change', async () => {
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

test('the queue stays below 64 KiB for any number of events, and keeps the newest notice and the end', async () => {
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
