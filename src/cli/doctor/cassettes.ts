/**
 * The doctor's report on the recordings that plugins are tested against: how old they are.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { ageInDays } from '../../recording/cassette.ts'
import { type CassetteFile, cassettesOf } from '../../recording/files.ts'
import { count } from '../columns.ts'
import { type Finding, ok } from './finding.ts'

/** One finding for each source that has cassettes. @param now milliseconds since 1970 */
export function cassettes(tasks: readonly CatalogueTask[], now: number): Finding[] {
  const bySource = Map.groupBy(cassettesOf(tasks), ({ task }) => task.source.name)
  return [...bySource].map(([source, own]) => ok(`cassettes of ${source}`, wordsOf(own, now)))
}

function wordsOf(own: readonly Pick<CassetteFile<never>, 'cassette'>[], now: number): string {
  const ages = own.flatMap(({ cassette }) => ageInDays(cassette, now) ?? []).sort((a, b) => a - b)
  const [newest, oldest] = [ages[0], ages.at(-1)]
  const undated = own.length - ages.length
  if (newest === undefined || oldest === undefined) return `${own.length}, without a date`
  const age = newest === oldest ? count(oldest, 'day') : `${newest} to ${count(oldest, 'day')}`
  return `${own.length}, ${age} old${undated > 0 ? `; ${undated} without a date` : ''}`
}
