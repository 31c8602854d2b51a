/** A session at its host: a call of a gateway takes effect once even if repeated, and events are sent in order. */
import { expect, test } from 'bun:test'
import { HostedSession } from '../../../src/signin/remote/relay/hosted.ts'
import type { SentEvent } from '../../../src/signin/remote/relay/seal.ts'
import type { SignInSession } from '../../../src/signin/remote/session.ts'
import type { SessionEvent } from '../../../src/signin/remote/session-events.ts'
import { frameOf } from './fake-browser.ts'
import { atAddress } from './parts.ts'

/** A session that records its inputs, at a host that sends no event before `open` is called. */
function hostedSession() {
  const inputs: unknown[] = []
  const sentEvents: SentEvent[] = []
  const pictures: string[] = []
  const gate = Promise.withResolvers<void>()
  let happen: (event: SessionEvent) => void = () => {}
  const session = {
    send: async (sent: unknown[]) => void inputs.push(...sent),
    frame: async () => frameOf('shown'),
    current: () => [atAddress('/now')],
    attended: () => {},
    ended: Promise.resolve(),
  }
  const hosted = new HostedSession(
    (onEvent) => {
      happen = onEvent
      return session as unknown as SignInSession
    },
    async (event, picture) => {
      await gate.promise
      sentEvents.push(event)
      if (picture) pictures.push(new TextDecoder().decode(picture))
    },
  )
  return {
    hosted,
    inputs,
    sentEvents,
    pictures,
    happen: (event: SessionEvent) => happen(event),
    open: gate.resolve,
  }
}

test('a repeated or outdated call of a gateway is ignored', () => {
  const { hosted, inputs } = hostedSession()
  const typed = { gateway: 'g', n: 5, call: { type: 'inputs', inputs: ['x', 'y'] } } as const
  hosted.receive(typed)
  hosted.receive(typed)
  hosted.receive({ ...typed, n: 4 })
  // The same number from another gateway is another call.
  hosted.receive({ ...typed, gateway: 'h' })
  expect(inputs).toEqual(['x', 'y', 'x', 'y'])
})

test('a viewer that attaches gets the current state, in order with the events before and after', async () => {
  const { hosted, sentEvents, happen, open } = hostedSession()
  happen({ type: 'notice', code: 'dialog', text: 'before' })
  hosted.receive({ gateway: 'g', n: 1, call: { type: 'attach', viewer: 'v' } })
  happen({ type: 'notice', code: 'dialog', text: 'after' })
  happen({ type: 'done' })
  open()
  expect(await hosted.ended).toEqual({ type: 'done' })
  expect(sentEvents.map(({ n }) => n)).toEqual([1, 2, 3, 4])
  expect(sentEvents[1]?.event).toEqual({ type: 'attached', viewer: 'v', events: [atAddress('/now')] })
  expect(sentEvents.map(({ event }) => event.type)).toEqual(['notice', 'attached', 'notice', 'done'])
})

test('a picture that was requested several times is sent once, together with its event', async () => {
  const { hosted, sentEvents, pictures, happen, open } = hostedSession()
  for (let n = 1; n <= 3; n++) hosted.receive({ gateway: 'g', n, call: { type: 'frame', fresh: n === 1 } })
  await new Promise((go) => setImmediate(go))
  happen({ type: 'done' })
  open()
  await hosted.ended
  expect(pictures).toEqual(['shown'])
  const head = { width: 800, height: 600, scroll: { x: 0, y: 7 } }
  expect(sentEvents[0]?.event).toEqual({ type: 'picture', head })
})
