/**
 * `npm run samples`: writes `samples.json` of each plugin from its recordings. Tasks that need a browser need Chromium.
 *
 * @module
 */
import { writeFileSync } from 'node:fs'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { recordingsOf, sampleOfRecording } from './samples.ts'

const catalogue = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
const files = new Map<string, Record<string, object>>()
for (const [task, filed] of recordingsOf(catalogue)) {
  const samples = files.get(task.module) ?? {}
  samples[task.key] = await sampleOfRecording(filed)
  files.set(task.module, samples)
}
for (const [module, samples] of files)
  writeFileSync(new URL('./samples.json', module), `${JSON.stringify(samples, null, 2)}\n`)
console.log(`samples of ${files.size} plugins written`)
// A browser that the runs started would keep the process alive.
process.exit(0)
