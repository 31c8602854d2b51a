/**
 * The evidence of recorded answers for each task: its cases, the filled fields of their items, the recognised failure
 * pages. Cases are found in every `rigs/recorded/<source>/cases.ts`.
 *
 * @module
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exchangesOf, type RecordedCase, type RecordedCases } from '../../rigs/recorded/recordings.ts'
import { fieldsOf, hasKinds } from '../../src/catalogue/fields.ts'
import { Filling, sharesOf } from '../../src/catalogue/filling.ts'
import { columnsOf } from '../../src/catalogue/schema.ts'
import { type Exchange, hasBrowser, runTask } from '../../src/plugin/testing.ts'
import type { Source, Task } from '../../src/plugin.ts'

const PLUGINS = join(import.meta.dirname, '..', '..', 'plugins')
const RECORDED = join(import.meta.dirname, '..', '..', 'rigs', 'recorded')

/** A source with its recorded cases, if it has any. */
export type Recorded = { readonly source: Source; readonly cases: RecordedCases | undefined }

/** One field over all items that could have it; `shares`: of each case with such items, in thousandths. */
export type FieldFill = {
  readonly name: string
  readonly items: number
  readonly filled: number
  readonly shares: readonly number[]
}
export type Evidence = {
  readonly task: Task
  readonly cases: number
  /** how many of them have an answer that was made in a reported shape, not recorded */
  readonly syntheticCases: number
  readonly items: number
  readonly casesWithItems: number
  readonly fields: readonly FieldFill[]
  /** codes of the recognised failure pages, in alphabetical order */
  readonly failures: readonly string[]
}

type Item = Readonly<Record<string, unknown>>

/** All sources of the project, by name. @throws any error of a plugin while it is loaded */
export async function readSources(): Promise<Recorded[]> {
  const names = readdirSync(PLUGINS).filter((name) => existsSync(join(PLUGINS, name, 'source.ts')))
  return Promise.all(
    names.sort().map(async (name) => {
      const recorded = join(RECORDED, name, 'cases.ts')
      const { default: source } = await import(pathToFileURL(join(PLUGINS, name, 'source.ts')).href)
      const module = existsSync(recorded) ? await import(pathToFileURL(recorded).href) : undefined
      return { source, cases: module?.cases }
    }),
  )
}

/** Whether all cases can run here: the recordings are available, and a browser if one is needed. */
export const canRun = (sources: readonly Recorded[]): boolean =>
  sources.every(
    ({ cases }) =>
      cases === undefined ||
      (cases.recordings.there && (hasBrowser || !cases.cases.some(({ task }) => task.needs?.browser))),
  )

/** The cases of one task. */
export const casesOf = ({ cases }: Recorded, task: Task): readonly RecordedCase[] =>
  (cases?.cases ?? []).filter((one) => one.task.key === task.key)

/** The exchanges of a case. */
export const answersOf = ({ cases }: Recorded, one: RecordedCase): readonly Exchange[] =>
  exchangesOf(cases!.recordings, one)

/** Runs a case. */
export const playedBy = (recorded: Recorded, one: RecordedCase, exchanges = answersOf(recorded, one)) =>
  runTask(one.task, one.input, {
    source: recorded.source,
    exchanges,
    ...(one.signedIn === undefined ? {} : { signedIn: one.signedIn }),
    ...(recorded.cases?.now ? { now: recorded.cases.now } : {}),
  })

/**
 * Runs all cases of a task.
 *
 * @throws any error of a run, and an Error if a run ends otherwise than its case expects
 */
export async function evidenceOf(recorded: Recorded, task: Task): Promise<Evidence> {
  const filling = new Filling(fieldsOf(task), hasKinds(task))
  const shares: (readonly (number | null)[])[] = []
  const failures = new Set<string>()
  const cases = casesOf(recorded, task)
  const hasItems = columnsOf(task.item).length > 0
  for (const one of cases) {
    const outcome = await playedBy(recorded, one)
    const ends = outcome.error?.code
    if (ends !== one.ends || outcome.issues.length > 0)
      throw new Error(`${task.key}, ${one.name ?? one.files}: ${ends ?? 'succeeded'}, not ${one.ends}`)
    if (ends !== undefined) failures.add(ends)
    else {
      const own = new Filling(fieldsOf(task), hasKinds(task))
      for (const item of hasItems ? (outcome.items as Item[]) : [outcome.rest])
        for (const each of [filling, own]) each.add(item)
      if (own.sums) shares.push(sharesOf(own.sums))
    }
  }
  const syntheticCases = cases.filter(({ files }) =>
    files.some((file) => /^made\/|\.made\./.test(file)),
  ).length
  return {
    task,
    cases: cases.length,
    syntheticCases,
    items: filling.sums?.items ?? 0,
    casesWithItems: shares.length,
    fields: fieldsIn(task, filling, shares),
    failures: [...failures].sort(),
  }
}

/** The counted fields that an item could have. */
function fieldsIn(
  task: Task,
  { sums }: Filling,
  shares: readonly (readonly (number | null)[])[],
): FieldFill[] {
  const all = fieldsOf(task).map((name, i) => ({
    name,
    items: sums?.possible[i] ?? 0,
    filled: sums?.filled[i] ?? 0,
    shares: shares.flatMap((own) => own[i] ?? []),
  }))
  return all.filter(({ items }) => items > 0)
}
