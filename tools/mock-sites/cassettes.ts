/**
 * Loads the cassettes of plugins for the mock sites.
 *
 * @module
 */
import { existsSync, readdirSync } from 'node:fs'
import type { Catalogue, CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { type Cassette, type Exchange, readCassette } from '../../src/plugin/testing.ts'
import type { MockSitesOptions } from './server.ts'
import { type SignInOptions, signInOptionsOf } from './sign-in/sign-in.ts'
import type { User } from './sign-in/users.ts'

/** A cassette of a task, with its file. */
export type CassetteFile = { readonly task: CatalogueTask; readonly file: URL; readonly cassette: Cassette }

/**
 * All cassettes directly in the `fixtures` folders of the sources, in the order of the tasks and file names. Cassettes
 * in subfolders are skipped, because they hold failures.
 *
 * @throws {TypeError} naming a file that is not a cassette, or whose task belongs to another source
 */
export function cassettesOf({ tasks }: Catalogue): CassetteFile[] {
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

/**
 * The options of {@link import('./server.ts').startMockSites}: the exchanges of each family. The exchanges of a source
 * with a login require signing in, except those recorded without a login.
 *
 * @param users they can sign in at every source
 */
export function sitesOf(
  { tasks }: Catalogue,
  cassettes: readonly CassetteFile[],
  users: readonly User[],
): Required<Pick<MockSitesOptions, 'families' | 'signIns'>> {
  const families = new Map<string, readonly Exchange[]>()
  const signIns = new Map<string, SignInOptions>()
  for (const source of new Set(tasks.map((task) => task.source))) {
    const own = cassettes.filter(({ task }) => task.source === source)
    const membersOnly = source.login ? own.filter(needsLogin) : own
    const open = own.filter((one) => !membersOnly.includes(one))
    if (own.length > 0 || source.login) families.set(source.name, exchangesOf(membersOnly))
    if (source.login) signIns.set(source.name, signInOptionsOf(source, { users, open: exchangesOf(open) }))
  }
  return { families, signIns }
}

/** Whether a cassette is from a run with a login. */
export const needsLogin = ({ task: { declaration: task }, cassette: { signedIn } }: CassetteFile): boolean =>
  signedIn ?? task.needs?.login === true

const exchangesOf = (cassettes: readonly CassetteFile[]): Exchange[] =>
  cassettes.flatMap(({ cassette }) => cassette.exchanges)
