/** The health of a task in a few words, for a program that decides whether to pay for a run. */
import { expect, test } from 'bun:test'
import type { Drift } from '../../src/domain/health/drift.ts'
import type { Health } from '../../src/domain/health/standing.ts'
import { healthWords } from '../../src/health/words.ts'

const SINCE = '2026-11-29T02:10:00.000Z'
const price: Drift = { field: 'price', was: 0.98, now: 0.12 }
const many = Array.from({ length: 7 }, (_, i): Drift => ({ field: `f${i}`, was: 1, now: 0 }))

test.each<[Health, string | null, readonly Drift[], string]>([
  ['unknown', null, [], 'unknown'],
  ['unknown', SINCE, [], 'unknown'],
  ['healthy', SINCE, [], 'healthy'],
  ['degraded', SINCE, [], 'degraded since 2026-11-29'],
  ['drifting', SINCE, [price], 'drifting since 2026-11-29 (price was filled in 98 %, now 12 %)'],
  ['broken', SINCE, [price], 'broken since 2026-11-29 (price was filled in 98 %, now 12 %)'],
])('%s since %s', (health, since, drift, words) => {
  expect(healthWords({ health, since, drift })).toBe(words)
})

test('of many fields the first five are named', () => {
  const words = healthWords({ health: 'drifting', since: SINCE, drift: many })
  expect(words).toContain('f4 was filled in 100 %, now 0 %; 2 more fields)')
  expect(words).not.toContain('f5')
})
