/**
 * The sample result of each task: the first item that its own recording leads to.
 *
 * @module
 */
import type { Catalogue, CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { canonicalJson } from '../../src/catalogue/input.ts'
import { runTask } from '../../src/plugin/testing.ts'
import { type CassetteFile, cassettesOf, needsLogin } from '../../tools/mock-sites/cassettes.ts'

/** The time of all sample runs: four weeks before the flights of their recording. */
const NOW = Date.parse('2030-04-16T12:00:00Z')

/** The recording of a task's example, and without a login if there is one. */
export function recordingsOf(catalogue: Catalogue): ReadonlyMap<CatalogueTask, CassetteFile> {
  const all = cassettesOf(catalogue)
  return new Map(
    catalogue.tasks.flatMap((task) => {
      const example = canonicalJson(task.declaration.example)
      const own = all.filter((one) => one.task === task && canonicalJson(one.cassette.input) === example)
      const chosen = own.find((one) => !needsLogin(one)) ?? own[0]
      return chosen ? [[task, chosen] as const] : []
    }),
  )
}

/** The result of a recording, with its first item alone. @throws when its run fails */
export async function sampleOfRecording(filed: CassetteFile): Promise<object> {
  const { task, cassette } = filed
  const { source, declaration } = task
  const { exchanges, input } = cassette
  const signedIn = needsLogin(filed)
  const trace = await runTask(declaration, input, { source, exchanges, signedIn, now: () => NOW })
  if (trace.error) throw trace.error
  return { items: trace.items.slice(0, 1), ...trace.rest }
}
