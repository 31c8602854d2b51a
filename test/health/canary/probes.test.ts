/** The plan of a day is the same on all nodes, and has each input of each task once, never all at one time. */
import { expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../../src/catalogue/catalogue.ts'
import { DAY_MS, probesOf, probesOn } from '../../../src/health/canary/probes.ts'

const { tasks } = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
const DAY = 20_786

test('each input is due once a day, under a key of its own', () => {
  for (const task of tasks) {
    const plan = probesOn(DAY, task)
    expect(plan.map(({ probe }) => probe.number).toSorted()).toEqual(probesOf(task).map((_, i) => i))
    for (const { dueAt } of plan) expect(Math.floor(dueAt / DAY_MS)).toBe(DAY)
  }
  const keys = [DAY, DAY + 1].flatMap((day) => tasks.flatMap((task) => probesOn(day, task)))
  expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length)
})

test('tasks start at different times of the day', () => {
  const hours = tasks.flatMap((task) => probesOn(DAY, task)).map(({ dueAt }) => new Date(dueAt).getUTCHours())
  expect(new Set(hours).size).toBeGreaterThan(16)
})

test('our tasks have two inputs beside their examples, whose limits are small', () => {
  const lacking = tasks.filter((task) => probesOf(task).length < 3).map(({ key }) => key)
  // A wardrobe is a private person's.
  expect(lacking).toEqual(['marketplace.member.items'])
  for (const task of tasks)
    for (const { input } of probesOf(task).slice(1))
      for (const name of ['limit', 'max_posts', 'max_videos', 'max_comments', 'maxPosts', 'pages'])
        expect(Number(input[name] ?? 0)).toBeLessThanOrEqual(5)
})
