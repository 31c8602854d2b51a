/**
 * The cassettes of a task.
 *
 * @module
 */
import { existsSync, readdirSync } from 'node:fs'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { type Cassette, readCassette } from '../../src/plugin/testing.ts'

/** A cassette and its file, relative to the plugin's folder, with slashes. */
export type TaskCassette = { readonly file: string; readonly cassette: Cassette }

/** All cassettes of a task in `fixtures` of its plugin and in the folders there, by name. Other JSON may lie among them. */
export function cassettesBelow(task: CatalogueTask): TaskCassette[] {
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
export const urlOf = ({ module }: CatalogueTask, file: string): URL =>
  new URL(file.split('/').map(encodeURIComponent).join('/'), module)

function cassetteAt(file: URL): Cassette | undefined {
  try {
    return readCassette(file)
  } catch {
    return undefined
  }
}
