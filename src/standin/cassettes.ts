/**
 * The cassettes of plugins, as the stand-in web serves them.
 *
 * @module
 */
import { existsSync, readdirSync } from 'node:fs'
import type { Catalogue, CatalogueTask } from '../catalogue/catalogue.ts'
import { type Cassette, type Exchange, readCassette } from '../plugin/testing.ts'
import type { StandInOptions } from './server.ts'
import type { SignInOptions } from './sign-in/gate.ts'
import { signInOf } from './sign-in/site.ts'
import type { User } from './sign-in/users.ts'

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

/**
 * What {@link import('./server.ts').startStandIn} serves: the exchanges of each family. Those of a source with a login
 * are behind its sign-in, but for what tasks read without one.
 *
 * @param users who may sign in, at every source
 */
export function sitesOf(
  { tasks }: Catalogue,
  cassettes: readonly Filed[],
  users: readonly User[],
): Required<Pick<StandInOptions, 'families' | 'signIns'>> {
  const families = new Map<string, readonly Exchange[]>()
  const signIns = new Map<string, SignInOptions>()
  for (const source of new Set(tasks.map((task) => task.source))) {
    const own = cassettes.filter(({ task }) => task.source === source)
    const membersOnly = source.login ? own.filter(needsLogin) : own
    const open = own.filter((one) => !membersOnly.includes(one))
    if (own.length > 0 || source.login) families.set(source.name, exchangesOf(membersOnly))
    if (source.login) signIns.set(source.name, signInOf(source, { users, open: exchangesOf(open) }))
  }
  return { families, signIns }
}

/** Whether a cassette is of a run that had a login. */
export const needsLogin = ({ task: { task }, cassette: { signedIn } }: Filed): boolean =>
  signedIn ?? task.needs?.login === true

const exchangesOf = (cassettes: readonly Filed[]): Exchange[] =>
  cassettes.flatMap(({ cassette }) => cassette.exchanges)
