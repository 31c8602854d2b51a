/** How a source's page shows the fill of fields. */
import { expect, test } from 'bun:test'
import { fieldFills, fieldTable, shareText } from '../../../../src/console/operator/sources/fields.ts'
import type { Day } from '../../../../src/health/days.ts'

const day = (n: number, runs: number, fill: Day['fill']): Day => ({
  day: `2026-11-${String(n).padStart(2, '0')}`,
  runs,
  success: 1,
  blocked: 0,
  p50_ms: 100,
  items: 1,
  fill,
  ends: { succeeded: runs },
  canary: null,
})
const FIELDS = ['id', 'price', 'brand', 'note']
const USUAL = { id: 1, price: 0.98, brand: 0.5, note: 0 }
const LATEST = { id: 1, price: 0.3, brand: 0.5, note: 0 }
const days = [
  day(1, 10, { id: 1, price: 1, brand: 0.5, note: 0 }),
  day(2, 5, {}),
  day(3, 30, { id: 1, price: 0.2, brand: 0.5, note: 0 }),
]

test('fields that fell come first, and the week weighs days by their runs', () => {
  const fills = fieldFills(FIELDS, USUAL, LATEST, days, [])
  expect(fills.map(({ field }) => field)).toEqual(['price', 'id', 'brand', 'note'])
  expect(fills[0]).toEqual({
    field: 'price',
    usual: 0.98,
    runs: 0.3,
    week: 0.4,
    latest: 0.2,
    isDrifting: false,
  })
})

test('a drifting field is first, and its share in the last runs is shown', () => {
  const drift = [{ field: 'brand', was: 0.5, now: 0.5 }]
  const fills = fieldFills(FIELDS, USUAL, LATEST, days, drift)
  expect(fills.map(({ field }) => field)).toEqual(['brand', 'price', 'id', 'note'])
  const text = fieldTable('Search', fills).text
  expect(text).toContain(
    '<code>brand</code> <span class="badge warn">drifting</span></th><td>50%</td><td>50%</td><td>50%</td><td>50%</td>',
  )
})

test('fields that are never filled are folded', () => {
  const text = fieldTable('Search', fieldFills(FIELDS, USUAL, LATEST, days, [])).text
  expect(text).toContain('<summary>1 field never filled</summary><p><code>note</code></p>')
  expect(text).toContain('Fields: 1 of 3 lower than usual')
})

test('without a baseline nothing is called usual', () => {
  const text = fieldTable('Search', fieldFills(FIELDS, null, LATEST, days, [])).text
  expect(text).toContain('<summary>Fields: 3</summary>')
  expect(text).not.toContain('lower')
})

test('nothing is shown of a task without items', () => {
  expect(fieldTable('Search', fieldFills(FIELDS, null, {}, [], [])).text).toBe('')
})

test('a share that is known and small is not 0%', () => {
  expect([undefined, 0, 0.001, 0.126, 1].map(shareText)).toEqual(['–', '0%', 'below 1%', '13%', '100%'])
})
