/** Months of simulated traffic: none is a false alarm, and most losses are noticed. `npm run drift` simulates more. */
import { expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { healthyMonth, monthWithLoss } from './months.ts'

const { tasks } = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })

test('a month of healthy traffic raises no alarm', () => {
  const months = tasks.flatMap((task, i) => (i % 4 === 0 ? [healthyMonth(task, 7 + i)] : []))
  expect(months.flatMap(({ alarm }) => alarm ?? [])).toEqual([])
  expect(months.reduce((sum, { runs }) => sum + runs, 0)).toBeGreaterThan(1000)
})

test('a field that most items have is noticed within 20 runs when it is lost', () => {
  const seen = tasks.flatMap((task, i) => (i % 7 === 1 ? (monthWithLoss(task, 3 + i, 1) ?? []) : []))
  const early = seen.filter(({ after }) => after !== null && after <= 20)
  expect(early.length).toBeGreaterThan(seen.length / 2)
})
