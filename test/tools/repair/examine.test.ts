import { expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { loadCatalogue } from '../../../src/catalogue/catalogue.ts'
import type { Cassette } from '../../../src/plugin/testing.ts'
import { examine } from '../../../tools/repair/examine.ts'
import { recordingsOf } from '../../../tools/repair/recordings.ts'

const plugins = temporaryFolder()
cpSync(join(import.meta.dirname, '../../../tools/new-source/template'), join(plugins, 'newsource'), {
  recursive: true,
})
const { tasks } = await loadCatalogue({ folders: [], config: { pluginsDir: plugins, runLimitS: 300 } })
const task = tasks[0]!
const AT = Date.parse('2026-11-29T12:00:00Z')

/** A run of the task with entries that have descriptions or not. */
const run = (...descriptions: string[]): Cassette => ({
  task: task.key,
  input: { query: 'desk' },
  exchanges: [
    {
      request: '/api/search',
      json: {
        results: descriptions.map((description, i) => ({ id: i, title: 'x', description })),
        next_page: null,
      },
    },
  ],
})
const findingsFor = async (cassette: Cassette, usual: Record<string, number>, drifting: string[] = []) => {
  const drift = drifting.map((field) => ({ field, was: usual[field] ?? 0, now: 0 }))
  const broken = { cassette, at: AT, code: null, capture: null, origin: 'a capture', drift, baseline: usual }
  const { findings, expected } = await examine(task, broken, await recordingsOf(task, AT))
  return {
    lost: expected.lost,
    fields: findings.flatMap(({ field, isMet }) => (field ? [`${field} ${isMet}`] : [])),
  }
}

test('a field that drifts in the service must be back, however few the items', async () => {
  const usual = { title: 1, description: 0.3 }
  expect(await findingsFor(run('', ''), usual)).toEqual({ lost: [], fields: ['description null'] })
  expect(await findingsFor(run('', ''), usual, ['description'])).toEqual({
    lost: ['description'],
    fields: ['description false'],
  })
})

test('a field that drifts is judged later too, even if this run has it', async () => {
  expect(await findingsFor(run('', 'x'), { description: 0.9 }, ['description'])).toEqual({
    lost: ['description'],
    fields: [],
  })
})

test('a field is asked for only as far as the similar recording has it', async () => {
  // Two of three entries of the template's recording have a description.
  expect((await findingsFor(run('x', '', ''), { description: 1 })).fields).toEqual([])
  expect((await findingsFor(run('', '', ''), { description: 1 })).fields).toEqual(['description false'])
})
