/**
 * Judges whether a task is repaired: old recordings give what they gave, and the answers that broke it are read with all
 * their fields.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { count } from '../../src/cli/columns.ts'
import type { Cassette } from '../../src/plugin/testing.ts'
import { percent } from '../shape/words.ts'
import { countedIn, countsOf, lacksOf } from './fill.ts'
import { type Expectations, FILES } from './folder.ts'
import { changeOf } from './recordings.ts'
import { type Replayed, replayed } from './replay.ts'

/** One thing that must hold. */
export type Finding = {
  /** a file, and a field of its items */
  readonly what: string
  readonly field?: string
  readonly wanted: string
  readonly result: string
  /** null when there are too few items to tell */
  readonly isMet: boolean | null
}

/** All that must hold for a repair, with how it stands now. */
export async function judge(
  task: CatalogueTask,
  expected: Expectations,
  capture: Cassette,
): Promise<Finding[]> {
  const findings = findingsOf(
    task,
    expected,
    await replayed(task, capture, expected.at, { incomplete: true }),
  )
  for (const kept of expected.recordings) {
    const change = await changeOf(task, kept)
    const wanted = kept.code === null ? 'gives what it gave before' : `ends as ${kept.code}`
    findings.push({ what: kept.file, wanted, result: change ?? 'the same', isMet: change === null })
  }
  return findings
}

/** What must hold for the run on the capture. Fields that are as usual are left out. */
export function findingsOf(
  task: CatalogueTask,
  { hasItems, usual, lost }: Pick<Expectations, 'hasItems' | 'usual' | 'lost'>,
  {
    code,
    detail = '',
    items,
    rest,
  }: Pick<Replayed, 'code' | 'items' | 'rest'> & { readonly detail?: string },
): Finding[] {
  const what = FILES.capture
  if (code !== null) return [{ what, wanted: 'succeeds', result: `${code}: ${detail}`, isMet: false }]
  if (items.length === 0 && hasItems)
    return [{ what, wanted: 'succeeds with items', result: 'no items', isMet: false }]
  const lacks = lacksOf(usual, countsOf(task, countedIn(task, { items, rest })), lost)
  return [
    { what, wanted: 'succeeds', result: `succeeded with ${count(items.length, 'item')}`, isMet: true },
    ...lacks.map(({ field, was, now, items: possible, isLost }) => ({
      what: `${what}, ${field}`,
      field,
      wanted: `a value in ${percent(was / 2)} of items (usually ${percent(was)})`,
      result: `${percent(now)} of ${possible}`,
      isMet: isLost ? false : null,
    })),
  ]
}
