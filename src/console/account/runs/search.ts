/**
 * The filters of runs that no list has: the words of a title, the start of an id, who started it. The runs are looked at
 * one after the other, so a page says how far it looked.
 *
 * @module
 */
import type { RunRow } from '../../../../projections/runs.ts'
import type { AdmittedRun } from '../../../domain/run.ts'
import type { AccountVisitor } from '../../visitor.ts'
import type { Filters } from './filters.ts'
import { taskTitle } from './words.ts'

/** Runs that a page looks at: titles stand with the inputs, so each is a read of its own. */
export const MOST_LOOKED = { titles: 500, starters: 2000 }

/** Returns those of some runs that match; undefined if all do. */
export function matcherOf(
  visitor: AccountVisitor,
  { q, by }: Pick<Filters, 'q' | 'by'>,
): ((rows: readonly RunRow[]) => Promise<readonly RunRow[]>) | undefined {
  if (q === '' && by === undefined) return undefined
  const { deps, person, call } = visitor
  const starter = by === 'me' ? `person:${person.personId}` : `key:${by}`
  return async (rows) => {
    const theirs = by === undefined ? rows : rows.filter(({ run }) => run.startedBy === starter)
    if (q === '') return theirs
    const titles = await call.time.except(deps.titles.ofMany(theirs.map(({ run }) => run)))
    return theirs.filter(({ run }) =>
      isMatch(q, run, `${taskTitle(deps, run.taskKey)} ${titles.get(run.runId) ?? ''}`),
    )
  }
}

/** Whether a run's id begins with a search, or its title has all of its words. */
export function isMatch(q: string, { runId }: Pick<AdmittedRun, 'runId'>, title: string): boolean {
  if (isStartOfId(q) && runId.startsWith(q.toLowerCase())) return true
  const text = folded(title)
  return folded(q)
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Whether a search may be the start of a run's id. */
export const isStartOfId = (q: string): boolean => /^run_[0-9a-z]{3,26}$/i.test(q)

/** Text without case and without the difference between characters that look alike, such as full-width letters. */
const folded = (text: string): string => text.normalize('NFKC').toLowerCase()
