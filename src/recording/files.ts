/**
 * The cassettes of plugins, in the folders `fixtures` beside their `source.ts`.
 *
 * @module
 */
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Cassette, readCassette } from '../plugin/testing/cassette.ts'

/** A task with the URL of its plugin's `source.ts`. */
type PluginTask = { readonly key: string; readonly module: string }

/** A cassette and its file, relative to the plugin's folder, with slashes. */
export type TaskCassette = { readonly file: string; readonly cassette: Cassette }

/** A cassette with its task and the absolute path of its file. */
export type CassetteFile<Task extends PluginTask> = {
  readonly task: Task
  readonly file: string
  readonly cassette: Cassette
}

/**
 * The cassettes of tasks, in the order of the tasks and file names. Those in folders within `fixtures` are left out: they
 * are failures and captures.
 */
export const cassettesOf = <Task extends PluginTask>(tasks: readonly Task[]): CassetteFile<Task>[] =>
  tasks.flatMap((task) =>
    cassettesBelow(task)
      .filter(({ file }) => file.split('/').length === 2)
      .map(({ file, cassette }) => ({ task, file: fileURLToPath(urlOf(task, file)), cassette })),
  )

/** All cassettes of a task in `fixtures` of its plugin and in the folders there, by name. Other JSON may lie among them. */
export function cassettesBelow(task: PluginTask): TaskCassette[] {
  const folder = new URL('./fixtures/', task.module)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => `fixtures/${name.replaceAll('\\', '/')}`)
    .sort()
    .flatMap((file) => {
      const cassette = cassetteAt(urlOf(task, file))
      return cassette?.task === task.key ? [{ file, cassette }] : []
    })
}

/** The URL of a file of a plugin. */
export const urlOf = ({ module }: Pick<PluginTask, 'module'>, file: string): URL =>
  new URL(file.split('/').map(encodeURIComponent).join('/'), module)

function cassetteAt(file: URL): Cassette | undefined {
  try {
    return readCassette(file)
  } catch {
    return undefined
  }
}
