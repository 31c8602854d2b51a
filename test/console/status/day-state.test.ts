import { expect, test } from 'bun:test'
import { stateOfDay } from '../../../src/console/status/day-state.ts'

const AS_USUAL = { drift: [], since: '2026-11-01T00:00:00.000Z' }
const drifting = { drift: [{ field: 'price', was: 1, now: 0 }], since: '2026-11-12T23:00:00.000Z' }

test.each([
  [undefined, 'no-run'],
  [null, 'no-run'],
  [1, 'good'],
  [0.81, 'good'],
  [0.8, 'some-failed'],
  [0.51, 'some-failed'],
  [0.5, 'most-failed'],
  [0, 'most-failed'],
] as const)('a day with the success %p is %s', (success, state) => {
  expect(stateOfDay('2026-11-12', success === undefined ? undefined : { success }, AS_USUAL)).toBe(state)
})

test('fields are missing from the day on since when they drift, unless runs failed', () => {
  const of = (day: string, success = 1) => stateOfDay(day, { success }, drifting)
  expect([of('2026-11-11'), of('2026-11-12'), of('2026-11-13')]).toEqual([
    'good',
    'fields-missing',
    'fields-missing',
  ])
  expect(of('2026-11-13', 0.2)).toBe('most-failed')
  expect(stateOfDay('2026-11-13', undefined, drifting)).toBe('no-run')
})
