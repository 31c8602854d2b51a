/**
 * How the items of recordings are filled, from `fill.json` beside a plugin's `source.ts`.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { type Static, Type } from '@sinclair/typebox'
import { isValid } from './check.ts'

const Documented = Type.Object({
  /** the number of these items */
  items: Type.Integer({ minimum: 0 }),
  /** the number of recordings that have them */
  recordings: Type.Integer({ minimum: 1 }),
  /** for each field that every recording has, the mean share of its items with a value, in thousandths */
  fields: Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: 1000 })),
})
/** The fill of the items of a task's recordings. */
export type DocumentedFill = Static<typeof Documented>

/** `fill.json`: the fill by task key. */
const File = Type.Record(Type.String(), Documented)

/**
 * The documented fill of a plugin's tasks, by task key; empty without the file.
 *
 * @param module the file URL of its `source.ts`
 * @throws {TypeError} for a file of another form
 */
export function documentedFills(module: string): Readonly<Record<string, DocumentedFill>> {
  const file = new URL('./fill.json', module)
  if (!existsSync(file)) return {}
  const fills: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (isValid(File, fills)) return fills as Static<typeof File>
  throw new TypeError('fill.json is not valid: write it again with npm run sources')
}

/** 8 hex digits that name the version of a task's counted fields and of their documented fill. */
export const schemaName = (fields: readonly string[], documented: DocumentedFill | null): string =>
  hash('sha256', JSON.stringify([fields, documented])).slice(0, 8)
