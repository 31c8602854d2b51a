/** The sample results that the console and the reference show are those of the recordings. */
import { describe, expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { sampleOf } from '../../src/catalogue/sample.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { recordingsOf, sampleOfRecording } from './samples.ts'

const catalogue = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
const recordings = recordingsOf(catalogue)

test('each task has a recording of its example', () => {
  expect([...recordings.keys()].map(({ key }) => key)).toEqual(catalogue.tasks.map(({ key }) => key))
})

describe('the sample of a task is what its recording leads to (else: npm run samples)', () => {
  const played = [...recordings].filter(([task]) => hasBrowser || !task.declaration.needs?.browser)
  test.each(played.map(([task, filed]) => [task.key, task, filed] as const))('%s', async (_, task, filed) => {
    expect(sampleOf(task)).toEqual(await sampleOfRecording(filed))
  })
})
