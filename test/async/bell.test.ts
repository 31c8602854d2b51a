/** Waking somebody who waits for news. */
import { expect, test } from 'bun:test'
import { Bell } from '../../src/async/bell.ts'

test('a ring wakes who waits, and one that nobody waits for is kept for the next', async () => {
  const bell = new Bell()
  const waiting = bell.rung()
  bell.ring()
  expect(await waiting).toBe(true)
  bell.ring()
  bell.ring()
  expect(await bell.rung(1)).toBe(true)
  expect(await bell.rung(1)).toBe(false)
})

test('a wait that was too short takes no later ring away', async () => {
  const bell = new Bell()
  expect(await bell.rung(1)).toBe(false)
  bell.ring()
  expect(await bell.rung(1)).toBe(true)
})
