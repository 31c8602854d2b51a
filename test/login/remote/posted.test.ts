/** A visit at its post: what desks ask is done once, though messages come twice, late and in another order. */
import { expect, test } from 'bun:test'
import { Heard } from '../../../src/login/remote/relay/heard.ts'
import type { ToDesk } from '../../../src/login/remote/relay/messages.ts'
import { PostedVisit } from '../../../src/login/remote/relay/posted.ts'
import type { Session } from '../../../src/login/remote/session.ts'
import { quiet } from '../../worker/quiet.ts'

test('a question that was overtaken by another one is answered, and one that comes again is not', async () => {
  const inputs: unknown[] = []
  const session = {
    send: async (input: unknown) => void inputs.push(input),
    current: () => [],
    attended: () => {},
  }
  const told: [string, ToDesk][] = []
  const visit = new PostedVisit(
    () => session as unknown as Session,
    (desk, message) => told.push([desk, message]),
    quiet,
  )
  const typed = { desk: 'd', n: 5, question: { type: 'inputs', inputs: ['x'] } } as const
  await visit.receive({ desk: 'd', n: 6, question: { type: 'attend', attendance: 'a', after: null } })
  await visit.receive(typed)
  await visit.receive(typed)
  // Of another desk it is another question.
  await visit.receive({ ...typed, desk: 'e' })
  const answered = told.flatMap(([desk, message]) =>
    message.type === 'answer' ? [`${desk}${message.n}`] : [],
  )
  expect(answered).toEqual(['d6', 'd5', 'e5'])
  expect(inputs).toEqual(['x', 'x'])
})

test('of very many questions the newest are told apart, and the others count as heard', () => {
  const heard = new Heard()
  for (let n = 2; n <= 10_000; n += 2) expect(heard.isNew(n)).toBe(true)
  expect([heard.isNew(10_000), heard.isNew(9999), heard.isNew(9999)]).toEqual([false, true, false])
  expect([heard.isNew(1), heard.isNew(2), heard.isNew(5000)]).toEqual([false, false, false])
})
