/**
 * The cassettes of plugins, as the stand-in web serves them.
 *
 * @module
 */
import { existsSync, readdirSync } from 'node:fs'
import type { Catalogue, CatalogueTask } from '../catalogue/catalogue.ts'
import { type Cassette, readCassette } from '../plugin/testing.ts'
import type { Families } from './server.ts'

/** A cassette of a task, with its file. */
export type Filed = { readonly task: CatalogueTask; readonly file: URL; readonly cassette: Cassette }

/**
 * All cassettes in the folders `fixtures` beside the sources, in the order of the tasks and of the files' names; not
 * those in folders below, which hold what fails.
 *
 * @throws {TypeError} naming a file that is no cassette, or is one of a task of another source
 */
export function cassettesOf({ tasks }: Catalogue): Filed[] {
  const folders = new Set(tasks.map(({ module }) => new URL('./fixtures/', module).href))
  const read = [...folders].flatMap((folder) =>
    filesIn(new URL(folder)).map((file) => {
      const cassette = readCassette(file)
      const task = tasks.find(
        ({ key, module }) => key === cassette.task && folder.startsWith(folderOf(module)),
      )
      if (!task) throw new TypeError(`${file.pathname}: its source has no task ${cassette.task}`)
      return { task, file, cassette }
    }),
  )
  return tasks.flatMap((task) => read.filter((one) => one.task === task))
}

const folderOf = (module: string): string => new URL('./', module).href

function filesIn(folder: URL): URL[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => new URL(encodeURIComponent(name), folder))
}

/** Exchanges by family: what {@link import('./server.ts').startStandIn} serves. */
export function familiesOf(cassettes: readonly Filed[]): Families {
  const families = new Map<string, Cassette['exchanges'][number][]>()
  for (const { task, cassette } of cassettes) {
    const { name } = task.source
    families.set(name, [...(families.get(name) ?? []), ...cassette.exchanges])
  }
  return families
}
