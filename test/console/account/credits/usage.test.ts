/** Usage by day, summed from quarters of an hour. */
import { describe, expect, test } from 'bun:test'
import { OTHERS, type UsageRow } from '../../../../projections/usage.ts'
import {
  addTo,
  largest,
  type Measure,
  type Part,
  totalsOf,
} from '../../../../src/console/account/credits/usage.ts'
import { Days } from '../../../../src/console/time-zone.ts'

const row = (at: string, sums: Partial<Pick<UsageRow, 'tasks' | 'actors' | 'traffic'>>): UsageRow => ({
  account_id: 'acc_1',
  at: Date.parse(at),
  tasks: {},
  actors: {},
  traffic: {},
  ...sums,
})
const summed = (part: Part | Measure, starts: readonly number[], ...rows: UsageRow[]) => {
  const parts = new Map<string, number[]>()
  addTo(parts, rows, starts, part)
  return Object.fromEntries(parts)
}

describe('addTo', () => {
  const utc = ['2026-11-28', '2026-11-29'].map((day) => new Days('UTC').start(day))
  const rows = [
    row('2026-11-28T10:00:00Z', {
      tasks: { a: [5, 0, 1] },
      actors: { 'key:1': [3, 0, 1], 'person:1': [2, 0, 1] },
    }),
    row('2026-11-28T23:45:00Z', {
      tasks: { a: [5, 2, 1], b: [1, 0, 1] },
      actors: { operator: [6, 2, 2] },
      traffic: { a: [2, 500] },
    }),
    row('2026-11-29T00:00:00Z', {
      tasks: { b: [4, 0, 1] },
      actors: { 'key:2': [4, 0, 1] },
      traffic: { a: [3, 700], b: [1, 90] },
    }),
  ]

  test.each<[Part, Record<string, number[]>]>([
    ['task', { a: [8, 0], b: [1, 4] }],
    ['key', { 'key:1': [3, 0], people: [2, 0], operator: [4, 0], 'key:2': [0, 4] }],
    ['person', { keys: [3, 4], 'person:1': [2, 0], operator: [4, 0] }],
  ])('sums charges less refunds by day and %s', (part, expected) => {
    expect(summed(part, utc, ...rows)).toEqual(expected)
  })

  test('sums requests or bytes by day and task', () => {
    expect(summed('requests', utc, ...rows)).toEqual({ a: [2, 3], b: [0, 1] })
    expect(summed('bytes', utc, ...rows)).toEqual({ a: [500, 700], b: [0, 90] })
  })

  test.each([
    ['Asia/Kathmandu', '2026-11-28T18:15:00Z', '2026-11-28T18:00:00Z'],
    ['Pacific/Auckland', '2026-11-28T11:00:00Z', '2026-11-28T10:45:00Z'],
    ['America/St_Johns', '2026-11-29T03:30:00Z', '2026-11-29T03:15:00Z'],
  ])('a day begins with a quarter of an hour in %s', (zone, first, last) => {
    const starts = ['2026-11-28', '2026-11-29'].map((day) => new Days(zone).start(day))
    const tasks: UsageRow['tasks'] = { a: [1, 0, 1] }
    expect(summed('task', starts, row(last, { tasks }), row(first, { tasks }))).toEqual({ a: [1, 1] })
  })
})

test('the six largest parts are apart, by name where they are equal, and the others are summed', () => {
  const parts = new Map<string, number[]>([...'hgfedcba'].map((name, i) => [name, [i < 2 ? 9 : 1, 0]]))
  parts.set(OTHERS, [0, 5])
  const usage = { days: ['2026-11-28', '2026-11-29'], parts }
  expect(largest(usage)).toEqual([
    ['g', [9, 0]],
    ['h', [9, 0]],
    ...['a', 'b', 'c', 'd'].map((name) => [name, [1, 0]] as [string, number[]]),
    [OTHERS, [2, 5]],
  ])
  expect(totalsOf(usage)).toEqual([24, 5])
  expect(largest({ ...usage, parts: new Map([...parts, ['keys', [99, 0]]]) })).toEqual([
    ['g', [9, 0]],
    ['h', [9, 0]],
    ...['a', 'b', 'c'].map((name) => [name, [1, 0]] as [string, number[]]),
    ['keys', [99, 0]],
    [OTHERS, [3, 5]],
  ])
})
