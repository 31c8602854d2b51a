/** Bell wakes a waiter. */
import { expect, test } from 'bun:test'
import { Bell } from '../../src/async/bell.ts'

test('a ring wakes the waiter, and rings without a waiter are kept as one for the next wait', async () => {
  const bell = new Bell()
  const waiting = bell.rung()
  bell.ring()
  expect(await waiting).toBe(true)
  bell.ring()
  bell.ring()
  expect(await bell.rung(1)).toBe(true)
  expect(await bell.rung(1)).toBe(false)
})

test('a wait that timed out does not consume a later ring', async () => {
  const bell = new Bell()
  expect(await bell.rung(1)).toBe(false)
  bell.ring()
  expect(await bell.rung(1)).toBe(true)
})
