/** A key that a source renames is the first line of the difference, whenever its loss shows. */
import { expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../../src/catalogue/catalogue.ts'
import type { Cassette } from '../../../src/plugin/testing.ts'
import { differencesOf } from '../../../tools/repair/difference.ts'
import { examine, isLacking } from '../../../tools/repair/examine.ts'
import { parserFiles, placesOf } from '../../../tools/repair/parser-files.ts'
import { recordingsOf } from '../../../tools/repair/recordings.ts'

const NOW = Date.parse('2026-11-29T12:00:00Z')
const catalogue = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })

/** The run after its source renamed a key in the JSON of all answers. */
function renamed(cassette: Cassette, key: string): Cassette {
  const rename = (text: string) => text.replaceAll(`"${key}":`, `"${key}New":`)
  const exchanges = cassette.exchanges.map(({ json, ...exchange }) =>
    json === undefined ? exchange : { ...exchange, json: JSON.parse(rename(JSON.stringify(json))) },
  )
  return { ...cassette, exchanges }
}

const keysIn = ({ exchanges }: Cassette) =>
  new Set(
    [...JSON.stringify(exchanges.map(({ json }) => json)).matchAll(/"([A-Za-z]\w*)":/g)].map(
      ([, key = '']) => key,
    ),
  )

test.each(['encyclopedia.search', 'forum.user', 'marketplace.search'])('of %s', async (name) => {
  const task = catalogue.get(name)!
  const recordings = await recordingsOf(task, NOW)
  const files = parserFiles(task)
  const firstLines: [key: string, path: string | undefined][] = []
  for (const { cassette, kept } of recordings.kept) {
    for (const key of keysIn(cassette)) {
      if (placesOf(files, key).length === 0) continue
      const run = { cassette: renamed(cassette, key), at: kept.at, code: undefined }
      const broken = { ...run, capture: null, origin: 'a run', drift: [], baseline: null }
      const examined = await examine(task, broken, recordings)
      if (!isLacking(examined.findings)) continue
      const [first] = await differencesOf(cassette, examined.cassette, task.source.origin, files)
      firstLines.push([key, first?.changes[0]?.change.path.split('.').at(-1)?.replace('[]', '')])
    }
  }
  expect(firstLines.length).toBeGreaterThan(3)
  expect(firstLines).toEqual(firstLines.map(([key]) => [key, key]))
})
