/**
 * Reads the rows of the source's lists: the Shorts, and the token of the next page.
 *
 * @module
 */
import { at, type Context, readRows, SourceChanged } from 'gleaner/plugin'
import type { ListedShort } from '../short.ts'
import { FORMS } from './forms.ts'
import { tokenBelow } from './tokens.ts'

/** A page of a list. */
export type Rows = {
  readonly shorts: readonly ListedShort[]
  /** the token of the next page; null on the last page */
  readonly next: string | null
  /** whether the list goes on, but in a way that cannot be followed */
  readonly isCut: boolean
}

/**
 * The Shorts among the rows of a list.
 *
 * @throws {SourceChanged} when the list has rows but none in a known form
 */
export function rowsOf(context: Pick<Context, 'note'>, rows: readonly unknown[]): Rows {
  const entries = rows.map(entryOf)
  const rowEntries = entries.filter(([name]) => Object.hasOwn(FORMS, name))
  const more = entries.find(([name]) => name.startsWith('continuationItem'))
  const strange = entries.find(
    ([name]) => !Object.hasOwn(FORMS, name) && !name.startsWith('continuationItem'),
  )
  // Adverts and other rows may occur between Shorts. If there are only other rows, the form of Shorts may have changed.
  if (rowEntries.length === 0 && strange)
    throw new SourceChanged(`the list contains no Shorts but ${strange[0]}`)
  const next = more === undefined ? null : tokenIn(more[1])
  return {
    shorts: readRows(context, rowEntries, ([name, content]) => FORMS[name]!(content)),
    next,
    isCut: more !== undefined && next === null,
  }
}

/** The kind and content of a row `{kind: content}`, which grids wrap once more. */
function entryOf(row: unknown): readonly [name: string, content?: unknown] {
  const entry = at(row, 'richItemRenderer', 'content') ?? row
  return typeof entry === 'object' && entry !== null ? (Object.entries(entry)[0] ?? ['']) : ['']
}

/** The places of the token in a row that continues the list, in the order of their rank. */
const PLACES = [
  ['continuationEndpoint'],
  ['button', 'buttonRenderer', 'command'],
  ['continuationCommand', 'innertubeCommand'],
  [],
]

function tokenIn(content: unknown): string | null {
  for (const place of PLACES) {
    const token = tokenBelow(at(content, ...place))
    if (token !== null) return token
  }
  return null
}
