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
import { columnsOf } from '../../src/catalogue/schema.ts'
import { type Exchange, hasBrowser, runTask } from '../../src/plugin/testing.ts'
import type { Source, Task } from '../../src/plugin.ts'

const PLUGINS = join(import.meta.dirname, '..', '..', 'plugins')
const RECORDED = join(import.meta.dirname, '..', '..', 'rigs', 'recorded')

/** A source with its recorded cases, if it has any. */
export type Recorded = { readonly source: Source; readonly cases: RecordedCases | undefined }

/** One field over all items that could have it. */
export type FieldFill = { readonly name: string; readonly items: number; readonly filled: number }
export type Evidence = {
  readonly task: Task
  readonly cases: number
  /** how many of them have an answer that was made in a reported shape, not recorded */
  readonly syntheticCases: number
  readonly items: number
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
  const items: Item[] = []
  const failures = new Set<string>()
  const cases = casesOf(recorded, task)
  const columns = columnsOf(task.item)
  for (const one of cases) {
    const outcome = await playedBy(recorded, one)
    const ends = outcome.error?.code
    if (ends !== one.ends || outcome.issues.length > 0)
      throw new Error(`${task.key}, ${one.name ?? one.files}: ${ends ?? 'succeeded'}, not ${one.ends}`)
    if (ends !== undefined) failures.add(ends)
    else if (columns.length > 0) items.push(...(outcome.items as Item[]))
    else items.push(...partsOf(task, outcome.rest))
  }
  const names = columns.length > 0 ? columns : [...new Set(items.flatMap(Object.keys))]
  const fields = names.map((name) => fillOf(name, items))
  const syntheticCases = cases.filter(({ files }) =>
    files.some((file) => /^made\/|\.made\./.test(file)),
  ).length
  return {
    task,
    cases: cases.length,
    syntheticCases,
    items: items.length,
    fields,
    failures: [...failures].sort(),
  }
}

/** The objects in the result of a task without items, with field names such as `about.title`. */
const partsOf = (task: Task, rest: Item): Item[] =>
  Object.keys(task.extra ?? {}).flatMap((part) =>
    [rest[part]]
      .flat()
      .filter((value) => typeof value === 'object' && value !== null)
      .map((value) =>
        Object.fromEntries(Object.entries(value as Item).map(([name, field]) => [`${part}.${name}`, field])),
      ),
  )

/** Items whose type lacks the field do not count. */
function fillOf(name: string, items: readonly Item[]): FieldFill {
  const having = items.filter((item) => Object.hasOwn(item, name))
  return { name, items: having.length, filled: having.filter((item) => item[name] !== null).length }
}
