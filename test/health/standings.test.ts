/** How tasks stand, and their days, as readers see them. */
import { expect, test } from 'bun:test'
import { type HealthRow, health } from '../../projections/health.ts'
import { dayOf, type HealthDayRow, healthDays } from '../../projections/health-days.ts'
import { publish } from '../../rigs/support/read-models.ts'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { bucketOf } from '../../src/domain/health/histogram.ts'
import { daysOf } from '../../src/health/days.ts'
import { baselineOf, standingsOf } from '../../src/health/standings.ts'
import type { Position } from '../../src/log/event-log.ts'
import type { ReadModels } from '../../src/read/read-models.ts'
import { after, days, TASK, various } from '../domain/health/histories.ts'
import { workshop } from '../read/projecting.ts'

const { newFile, openModels } = workshop()
const NOW = Date.parse('2026-06-30T12:00:00Z')
const AT = new Date(NOW - 60_000).toISOString()
const task = { key: 'forum.search', ...TASK } as unknown as CatalogueTask
const other = { ...task, key: 'forum.posts' } as CatalogueTask

const row = (more: Partial<HealthRow>): HealthRow => ({
  task_key: task.key,
  ends: [{ at: AT, good: true, code: null }],
  health: 'healthy',
  health_since: '2026-06-30T00:00:00.000Z',
  last_failure: null,
  fill: null,
  canary: null,
  announced: null,
  drifts: [],
  ...more,
})

async function reading(rows: readonly HealthRow[], dayRows: readonly HealthDayRow[] = []) {
  const models: ReadModels = openModels(newFile())
  const at = { logId: 'log', position: 1 as Position }
  await publish(
    models,
    health,
    at,
    rows.map((each) => [each.task_key, each] as const),
  )
  await publish(
    models,
    healthDays,
    at,
    dayRows.map((each) => [`${each.task_key}:${each.day % 90}`, each] as const),
  )
  return { readModels: models, now: () => NOW }
}

test('each task has a standing in the given order; one without runs is unknown', async () => {
  const fill = after(days(8, 1000), 9, various(20, 0))
  const [first, second] = await standingsOf(await reading([row({ fill })]), [other, task])
  expect(first).toEqual({ task: other, row: undefined, health: 'unknown', since: null, drift: [] })
  const drift = [{ field: 'price', was: 1, now: 0 }]
  expect(second).toMatchObject({ health: 'drifting', since: AT, drift })
})

test('the time since is to the minute, so that nobody can tell whose run it was', async () => {
  const at = new Date(NOW - 1).toISOString()
  const broken = row({
    ends: [{ at, good: false, code: 'source-blocked' }],
    health: 'broken',
    health_since: at,
  })
  const [standing] = await standingsOf(await reading([broken]), [task])
  expect(standing?.since).toBe(AT)
})

test('a task that fails shows its drift as well', async () => {
  const fill = after(days(8, 1000), 9, various(20, 0))
  const ends = [1, 2, 3].map(() => ({ at: AT, good: false, code: 'source-blocked' }))
  const broken = row({ fill, ends, health: 'broken', health_since: AT })
  const [standing] = await standingsOf(await reading([broken]), [task])
  expect([standing?.health, standing?.drift.length]).toEqual(['broken', 1])
})

test('the baseline is the median of usual days, else the recordings; another version of the plugin has no days', () => {
  const history = days(4, (day) => [900, 100, 500, 700][day]!)
  // The fourth day is under way.
  expect(baselineOf(row({ fill: history }), task)).toEqual({ id: 1, price: 0.5 })
  expect(baselineOf(row({ fill: days(1, 300) }), task)).toEqual({ id: 1, price: 1 })
  expect(baselineOf(row({ fill: history }), { ...task, schema: 'ffffffff' } as CatalogueTask)).toEqual({
    id: 1,
    price: 1,
  })
  expect(baselineOf(undefined, { ...task, documentedFill: null } as CatalogueTask)).toBeNull()
})

test('days are those of the last so many, oldest first, without days that had no run; shares and medians, and counts', async () => {
  const today = dayOf(new Date(NOW).toISOString())
  const dayRow = (day: number): HealthDayRow => ({
    task_key: task.key,
    day,
    runs: 4,
    ends: { succeeded: 2, 'source-blocked': 1, 'queue-limit': 1 },
    telling: 3,
    good: 2,
    ms: { [bucketOf(9)]: 2, [bucketOf(15)]: 1 },
    items: { [bucketOf(12)]: 2 },
    fill: { schema: TASK.schema, counts: [2, 0], sums: [1500, 0] },
    canary: null,
  })
  const reads = await reading([], [dayRow(today), dayRow(today - 1), dayRow(today - 13), dayRow(today - 14)])
  const all = await daysOf(reads, task, 14)
  expect(all.map(({ day }) => day)).toEqual(['2026-06-17', '2026-06-29', '2026-06-30'])
  expect(all[0]).toEqual({
    day: '2026-06-17',
    runs: 4,
    success: 2 / 3,
    blocked: 1 / 4,
    p50_ms: 9,
    items: 12,
    fill: { id: 0.75 },
    ends: { succeeded: 2, 'source-blocked': 1, 'queue-limit': 1 },
    canary: null,
  })
  expect(await daysOf(reads, task, 1)).toHaveLength(1)
  expect((await daysOf(reads, { ...task, schema: 'ffffffff' } as CatalogueTask, 1))[0]?.fill).toEqual({})
})
