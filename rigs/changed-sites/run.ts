/**
 * `npm run changed-sites`: changes recorded answers part by part, reads each changed site 20 times after healthy traffic,
 * and prints by source what noticed the changes that matter.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { cassetteRecordings, outsideRecordings } from './recordings.ts'
import { changesIn, type Verdict } from './verdicts.ts'

const { values } = parseArgs({
  options: {
    source: { type: 'string' },
    outside: { type: 'boolean', default: false },
    browser: { type: 'boolean', default: false },
    every: { type: 'string', default: '1' },
  },
})
const every = Number(values.every)
const catalogue = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
const all = values.outside ? await outsideRecordings(catalogue) : cassetteRecordings(catalogue)
const recordings = all.filter(
  ({ task: { source, declaration } }) =>
    (values.source === undefined || source.name === values.source) &&
    (declaration.needs?.browser !== true || (hasBrowser && values.browser)),
)
for (const [task, own] of Map.groupBy(recordings, ({ task }) => task)) {
  const verdicts: Verdict[] = []
  for await (const verdict of changesIn(task, own, (i) => i % every === 0)) verdicts.push(verdict)
  const relevant = verdicts.filter(({ pairs }) => pairs.length > 0)
  const by = Map.groupBy(relevant, ({ noticed, loss }) => noticed?.by ?? `not noticed (${loss?.kind})`)
  const counts = [...by].map(([name, each]) => `${name} ${each.length}`).sort()
  console.log(
    `${task.key}: ${own.length} recordings, ${verdicts.length} changes, ${relevant.length} matter: ${counts.join(', ')}`,
  )
  for (const { change, loss, pairs } of relevant)
    if (loss && loss.kind !== 'little')
      console.log(
        `    ${change.part} ${change.way}: ${loss.words} (${loss.kind}, ${pairs.length} recordings)`,
      )
}
process.exit()
