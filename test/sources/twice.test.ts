/**
 * All runs of a source that share a process get what each would get alone: every cassette is played twice, at the same
 * time as all others of its source.
 *
 * @module
 */
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PLUGINS } from '../../src/catalogue/catalogue.ts'
import { readCassette, runTogether } from '../../src/plugin/testing.ts'
import { readSources } from './evidence.ts'

/** The sources with their cassettes. Without those of tasks that need a browser: its pages have their own contexts. */
const sources = (await readSources()).map(({ source }) => {
  const folder = join(PLUGINS, source.name, 'fixtures')
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const needsBrowser = new Set(source.tasks.filter(({ needs }) => needs?.browser).map(({ key }) => key))
  const cassettes = names
    .map((name) => readCassette(pathToFileURL(join(folder, name))))
    .filter(({ task }) => !needsBrowser.has(task))
  return { source, cassettes }
})

test('most sources have cassettes of tasks without a browser', () => {
  expect(sources.filter(({ cassettes }) => cassettes.length > 0).length).toBeGreaterThan(7)
})

test.each(
  sources.filter(({ cassettes }) => cassettes.length > 0).map((one) => [one.source.name, one] as const),
)(
  'runs of %s that share a process get what each gets alone',
  async (_, { source, cassettes }) => {
    for (const [i, { alone, together }] of (await runTogether(source, cassettes)).entries())
      expect({ task: cassettes[i]?.task, together }).toEqual({
        task: cassettes[i]?.task,
        together: [alone, alone],
      })
  },
  60_000,
)
