/** A session at its host: what gateways call is done once, though calls come again; what happens is told in its order. */
import { expect, test } from 'bun:test'
import { HostedSession } from '../../../src/login/remote/relay/hosted.ts'
import type { SentEvent } from '../../../src/login/remote/relay/seal.ts'
import type { Session, SessionEvent } from '../../../src/login/remote/session.ts'
import { frameOf } from './fake-browser.ts'
import { atAddress } from './parts.ts'

/** A session that notes its inputs, at a host that tells nothing before it is let. */
function hostedSession() {
  const inputs: unknown[] = []
  const told: SentEvent[] = []
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
      return session as unknown as Session
    },
    async (event, picture) => {
      await gate.promise
      told.push(event)
      if (picture) pictures.push(new TextDecoder().decode(picture))
    },
  )
  return {
    hosted,
    inputs,
    told,
    pictures,
    happen: (event: SessionEvent) => happen(event),
    open: gate.resolve,
  }
}

test('a call that comes again is not done again, nor one from before', () => {
  const { hosted, inputs } = hostedSession()
  const typed = { gateway: 'g', n: 5, call: { type: 'inputs', inputs: ['x', 'y'] } } as const
  hosted.receive(typed)
  hosted.receive(typed)
  hosted.receive({ ...typed, n: 4 })
  // Of another gateway it is another call.
  hosted.receive({ ...typed, gateway: 'h' })
  expect(inputs).toEqual(['x', 'y', 'x', 'y'])
})

test('what a viewer hears of begins where it attached: what holds there, then all that follows', async () => {
  const { hosted, told, happen, open } = hostedSession()
  happen({ type: 'notice', code: 'dialog', text: 'before' })
  hosted.receive({ gateway: 'g', n: 1, call: { type: 'attach', viewer: 'v' } })
  happen({ type: 'notice', code: 'dialog', text: 'after' })
  happen({ type: 'done' })
  open()
  expect(await hosted.ended).toEqual({ type: 'done' })
  expect(told.map(({ n }) => n)).toEqual([1, 2, 3, 4])
  expect(told[1]?.event).toEqual({ type: 'attached', viewer: 'v', events: [atAddress('/now')] })
  expect(told.map(({ event }) => event.type)).toEqual(['notice', 'attached', 'notice', 'done'])
})

test('a picture that was asked for is told with its event, however often it was asked for', async () => {
  const { hosted, told, pictures, happen, open } = hostedSession()
  for (let n = 1; n <= 3; n++) hosted.receive({ gateway: 'g', n, call: { type: 'frame', fresh: n === 1 } })
  await new Promise((go) => setImmediate(go))
  happen({ type: 'done' })
  open()
  await hosted.ended
  expect(pictures).toEqual(['shown'])
  const head = { width: 800, height: 600, scroll: { x: 0, y: 7 } }
  expect(told[0]?.event).toEqual({ type: 'picture', head })
})
