/** Fields that lost their values are noticed in few runs, while fields that are odd by chance are not. */
import { describe, expect, test } from 'bun:test'
import { type FillHistory, withFill } from '../../../src/domain/health/fill-history.ts'
import type { RunFill } from '../../../src/domain/run-events.ts'
import { below, lost } from '../../../src/health/canary/fill.ts'

const FIELDS = ['title', 'price', 'seller']
const fill = (items: number, ...shares: (number | null)[]): RunFill => ({
  schema: '00000000',
  input: '00000000',
  items,
  shares,
})
const names = (drift: readonly { readonly field: string }[]) => drift.map(({ field }) => field)

test('a field below half of its usual share is named with both shares', () => {
  expect(below(FIELDS, fill(5, 1000, 200, 600), { title: 1, price: 0.9, seller: 0.8 })).toEqual([
    { field: 'price', was: 0.9, now: 0.2 },
  ])
})

test('a field is not named if few of so few items would have it, if no item could have it, or without a usual share', () => {
  expect(below(FIELDS, fill(5, 0, 0, null), { price: 0.3, seller: 1 })).toEqual([])
})

const TASK = { fields: FIELDS, schema: '00000000' }
const three = (run: RunFill) => ['a', 'b', 'c'].map((input) => ({ ...run, input }))

/** The row of a task after runs on some days. */
const rowAfter = (days: number, run: RunFill) => {
  let history: FillHistory | null = null
  for (let day = 0; day < days; day++)
    for (const each of three(run)) history = withFill(history, each, day, false)
  return { fill: history }
}

describe('a field is lost', () => {
  test.each([3, 12])('if these inputs had it on each of %d days', (days) => {
    const row = rowAfter(days, fill(5, 1000, 1000, 800))
    expect(names(lost(TASK, row, three(fill(5, 1000, 1000, 0))))).toEqual(['seller'])
  })
})

describe('a field is not lost', () => {
  test('if the inputs are new, whatever recordings have', () => {
    expect(lost(TASK, undefined, three(fill(5, 1000, 0, 0)))).toEqual([])
  })

  test('if these inputs never had it', () => {
    const row = rowAfter(3, fill(5, 1000, 0, 1000))
    expect(lost(TASK, row, three(fill(5, 1000, 0, 1000)))).toEqual([])
  })

  test('if one of three inputs lacks it', () => {
    const row = rowAfter(3, fill(5, 1000, 1000, 900))
    const [first, ...others] = three(fill(5, 1000, 1000, 900))
    expect(lost(TASK, row, [{ ...first!, shares: [1000, 0, 900] }, ...others])).toEqual([])
  })

  test('if these inputs have it in half of their items, more or less', () => {
    const row = rowAfter(3, fill(4, 1000, 1000, 500))
    expect(lost(TASK, row, three(fill(4, 1000, 1000, 0)))).toEqual([])
  })

  test('if there are no items, no run, or no item that could have it', () => {
    const row = rowAfter(3, fill(5, 1000, 1000, 900))
    expect(lost(TASK, row, three(fill(0)))).toEqual([])
    expect(lost(TASK, row, [])).toEqual([])
    expect(lost(TASK, row, three(fill(5, 1000, null, 900)))).toEqual([])
  })

  test('if its history is that of other fields', () => {
    const row = rowAfter(3, { ...fill(5, 1000, 1000, 1000), schema: '11111111' })
    expect(lost(TASK, row, three(fill(5, 1000, 1000, 0)))).toEqual([])
  })
})
