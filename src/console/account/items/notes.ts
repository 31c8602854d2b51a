/**
 * What fields mean, from the output schema of their task.
 *
 * @module
 */
import { type Html, html, words } from '../../../html.ts'
import { clip, labelOf } from './labels.ts'

/** Descriptions of fields by name. */
export type Notes = ReadonlyMap<string, string>

type Shape = {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

const LONGEST_NOTE = 400

/** Of the fields of a result beside its items. @param schema of the whole result */
export const notesOfResult = (schema: object): Notes => new Map(notesIn(schema))

/** Of the fields of an item; items of several kinds may share some. @param schema of the whole result */
export const notesOfItem = (schema: object): Notes =>
  new Map(notesIn((schema as Shape).properties?.items ?? {}))

function notesIn({ properties = {}, items, anyOf = [] }: Shape): (readonly [string, string])[] {
  const own = Object.entries(properties).flatMap(([name, { description = '' }]) =>
    description === '' ? [] : [[name, clip(description, LONGEST_NOTE)] as const],
  )
  return [...own, ...(items ? notesIn(items) : []), ...anyOf.flatMap(notesIn)]
}

/** A fold that explains the fields of an item, for those who cannot point at a label. */
export function notesList(names: readonly string[], notes: Notes): Html | false {
  const explained = names.filter((name) => notes.has(name))
  const entries = explained.map(
    (name) => html`<div><dt>${labelOf(name)}</dt><dd>${words(notes.get(name)!)}</dd></div>`,
  )
  return (
    explained.length > 0 &&
    html`<details class="field-notes"><summary>What the fields mean</summary><dl class="fields">${entries}</dl></details>`
  )
}
