/** What a session shows once: for its secret alone, once, and for ten minutes. */
import { expect, test } from 'bun:test'
import { openSqliteTickets } from '../../src/ephemeral/sqlite/tickets.ts'
import { newSecret } from '../../src/ephemeral/tickets.ts'
import { SessionSlots } from '../../src/people/session-slots.ts'

const SECRET = newSecret()

function open() {
  const now = { at: Date.now() }
  return { now, slots: new SessionSlots(openSqliteTickets(':memory:'), () => now.at) }
}

test('a text is taken once, also by takers at the same time', async () => {
  const { slots } = open()
  await slots.put(SECRET, '/keys', 'gln_secret')
  const taken = await Promise.all([1, 2, 3].map(() => slots.take(SECRET, '/keys')))
  expect(taken.filter((text) => text !== undefined)).toEqual(['gln_secret'])
  expect(await slots.take(SECRET, '/keys')).toBeUndefined()
})

test('a text is taken only with the secret and for the page that it was put for', async () => {
  const { slots } = open()
  await slots.put(SECRET, '/keys', 'gln_secret')
  expect(await slots.take(newSecret(), '/keys')).toBeUndefined()
  expect(await slots.take(SECRET, '/members')).toBeUndefined()
  expect(await slots.take(SECRET, '/keys')).toBe('gln_secret')
})

test('a later text of a page replaces the earlier one', async () => {
  const { slots } = open()
  await slots.put(SECRET, '/keys', 'first')
  await slots.put(SECRET, '/keys', 'second')
  expect(await slots.take(SECRET, '/keys')).toBe('second')
})

test('a text is gone after ten minutes', async () => {
  const { now, slots } = open()
  await slots.put(SECRET, '/keys', 'gln_secret')
  now.at += 600_000
  expect(await slots.take(SECRET, '/keys')).toBeUndefined()
})
