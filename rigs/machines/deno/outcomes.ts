/**
 * The outcomes of all sources' cassettes on the current runtime. As a program it prints them on stdout as JSON.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { loadCatalogue, PLUGINS } from '../../../src/catalogue/catalogue.ts'
import { runTask } from '../../../src/plugin/testing.ts'
import { cassettesOf, needsLogin } from '../../../tools/mock-sites/cassettes.ts'

const NOW = Date.parse('2026-01-31T12:00:00.500Z')

/** The full result of each cassette that is read without a browser, with files by their hash. */
export async function outcomesOfCassettes() {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
  const read = cassettesOf(catalogue).filter(({ task }) => !task.declaration.needs?.browser)
  return Promise.all(
    read.map(async (filed) => {
      const { task, file, cassette } = filed
      const { input, exchanges } = cassette
      const { source } = task
      const signedIn = needsLogin(filed)
      const run = await runTask(task.declaration, input, { source, exchanges, signedIn, now: () => NOW })
      const files = run.files.map(({ name, bytes }) => [
        name,
        createHash('sha256').update(bytes).digest('hex'),
      ])
      const name = `${source.name}: ${file.pathname.split('/').at(-1)}`
      return { source: source.name, name, ...run, error: run.error?.message ?? null, files }
    }),
  )
}

if (import.meta.main) console.log(JSON.stringify(await outcomesOfCassettes()))
