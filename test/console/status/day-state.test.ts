import { expect, test } from 'bun:test'
import { stateOfDay } from '../../../src/console/status/day-state.ts'

const SPANS = [
  { from: '2026-11-03T23:00:00.000Z', until: '2026-11-05T01:00:00.000Z' },
  { from: '2026-11-12T23:00:00.000Z', until: null },
]

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
  expect(stateOfDay('2026-11-12', success === undefined ? undefined : { success }, [])).toBe(state)
})

test('fields are missing on the days on which they were announced as lost, unless runs failed', () => {
  const of = (day: string, success = 1) => stateOfDay(`2026-11-${day}`, { success }, SPANS)
  expect(['02', '03', '04', '05', '06', '11', '12', '29'].map((day) => [day, of(day)])).toEqual([
    ['02', 'good'],
    ['03', 'fields-missing'],
    ['04', 'fields-missing'],
    ['05', 'fields-missing'],
    ['06', 'good'],
    ['11', 'good'],
    ['12', 'fields-missing'],
    ['29', 'fields-missing'],
  ])
  expect(of('13', 0.2)).toBe('most-failed')
  expect(stateOfDay('2026-11-13', undefined, SPANS)).toBe('no-run')
})
