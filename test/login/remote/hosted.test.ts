/** A session at its host: what gateways call is done once, though calls come again; what happens is told in its order. */
import { expect, test } from 'bun:test'
import { HostedSession } from '../../../src/login/remote/relay/hosted.ts'
import type { SentEvent } from '../../../src/login/remote/relay/messages.ts'
import type { Session, SessionEvent } from '../../../src/login/remote/session.ts'
import { quiet } from '../../worker/quiet.ts'
import { atAddress } from './parts.ts'

/** A session that notes its inputs, at a host that tells nothing before it is let. */
function hostedSession() {
  const inputs: unknown[] = []
  const told: SentEvent[] = []
  const replied: string[] = []
  const gate = Promise.withResolvers<void>()
  let happen: (event: SessionEvent) => void = () => {}
  const session = {
    send: async (input: unknown) => void inputs.push(input),
    current: () => [atAddress('/now')],
    attended: () => {},
    ended: Promise.resolve(),
  }
  const hosted = new HostedSession(
    (onEvent) => {
      happen = onEvent
      return session as unknown as Session
    },
    {
      async tell(event) {
        await gate.promise
        told.push(event)
      },
      show: async () => {},
      reply: (gateway, n) => void replied.push(`${gateway}${n}`),
    },
    quiet,
  )
  return { hosted, inputs, told, replied, happen: (event: SessionEvent) => happen(event), open: gate.resolve }
}

test('a call that comes again is not done again, nor one from before', async () => {
  const { hosted, inputs, replied } = hostedSession()
  const typed = { gateway: 'g', n: 5, call: { type: 'inputs', inputs: ['x', 'y'] } } as const
  await hosted.receive(typed)
  await hosted.receive(typed)
  await hosted.receive({ ...typed, n: 4 })
  // Of another gateway it is another call.
  await hosted.receive({ ...typed, gateway: 'h' })
  expect(replied).toEqual(['g5', 'h5'])
  expect(inputs).toEqual(['x', 'y', 'x', 'y'])
})

test('what a viewer hears of begins where it attached: what holds there, then all that follows', async () => {
  const { hosted, told, happen, open } = hostedSession()
  happen({ type: 'notice', code: 'dialog', text: 'before' })
  await hosted.receive({ gateway: 'g', n: 1, call: { type: 'attach', viewer: 'v' } })
  happen({ type: 'notice', code: 'dialog', text: 'after' })
  happen({ type: 'done' })
  open()
  await hosted.ended
  expect(told.map(({ n }) => n)).toEqual([1, 2, 3, 4])
  expect(told[1]?.event).toEqual({ type: 'attached', viewer: 'v', events: [atAddress('/now')] })
  expect(told.map(({ event }) => event.type)).toEqual(['notice', 'attached', 'notice', 'done'])
})
