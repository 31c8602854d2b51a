/**
 * Tasks by the patterns of a command line.
 *
 * @module
 */
import type { Catalogue, CatalogueTask } from '../catalogue/catalogue.ts'
import { didYouMean } from '../catalogue/names.ts'
import { allowsTask } from '../domain/account.ts'
import { UsageError } from './failure.ts'

/**
 * The tasks that any of the patterns names.
 *
 * @param patterns such as `forum.*` or `encyclopedia.search`; none for all tasks
 * @throws {UsageError} for a pattern that names no task
 */
export function tasksNamed(
  { tasks }: Pick<Catalogue, 'tasks'>,
  patterns: readonly string[],
): readonly CatalogueTask[] {
  for (const pattern of patterns) {
    if (tasks.some(({ key }) => allowsTask([pattern], key))) continue
    const known = [...tasks.map(({ key }) => key), ...tasks.map(({ source }) => `${source.name}.*`)]
    throw new UsageError(`${pattern} names no task${didYouMean(pattern, known)}`)
  }
  return patterns.length === 0 ? tasks : tasks.filter(({ key }) => allowsTask(patterns, key))
}
