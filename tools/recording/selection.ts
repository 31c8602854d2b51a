/**
 * The cassettes that a refresh is about.
 *
 * @module
 */
import { existsSync, realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Catalogue, CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { didYouMean } from '../../src/catalogue/names.ts'
import { UsageError } from '../../src/cli/failure.ts'
import { allowsTask } from '../../src/domain/account.ts'
import { type CassetteFile, cassettesOf } from '../../src/recording/files.ts'
import { readOrRefuse } from '../dry-run/cassette.ts'
import { failureLines } from '../dry-run/command-line.ts'

/** A cassette of a plugin. */
export type PluginCassette = CassetteFile<CatalogueTask>

export type Selection = {
  readonly cassettes: readonly PluginCassette[]
  /** whether the file itself was named */
  readonly isNamed: boolean
}

/**
 * Finds cassettes.
 *
 * @param words a file, the name of a source, or a pattern of task keys such as `lamps.*`. A source or pattern stands for
 *   the cassettes directly in `fixtures` of the plugins; those in its folders are failures and captures
 * @throws {UsageError} when nothing matches, or the file is not a cassette of a known task
 */
export function selectCassettes(catalogue: Catalogue, words: string): Selection {
  const { tasks } = catalogue
  if (words.endsWith('.json') || existsSync(words))
    return { cassettes: [namedCassette(resolve(words), catalogue)], isNamed: true }
  const patterns = catalogue.source(words) ? [`${words}.*`] : [words]
  const chosen = tasks.filter(({ key }) => allowsTask(patterns, key))
  if (chosen.length === 0) {
    const names = [...catalogue.sources.map(({ name }) => name), ...tasks.map(({ key }) => key)]
    throw new UsageError(
      `${failureLines(catalogue)}no file, source or task is named "${words}"${didYouMean(words, names)}`,
    )
  }
  return { cassettes: cassettesOf(chosen), isNamed: false }
}

/** Reads a cassette of a known task. @throws {UsageError} saying why it is none */
export function namedCassette(file: string, catalogue: Catalogue): PluginCassette {
  const cassette = readOrRefuse(file)
  const task = catalogue.get(cassette.task)
  if (!task)
    throw new UsageError(
      `${failureLines(catalogue)}${file} is a cassette of ${cassette.task}, which no plugin declares`,
    )
  return { task, file: realpathSync(file), cassette }
}

/** A path as short as it can be written in the current folder. */
export function shortPath(file: string): string {
  const path = relative(process.cwd(), file)
  return path.startsWith('..') ? file : path
}
