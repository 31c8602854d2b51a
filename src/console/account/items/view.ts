/**
 * What the reader asked the items table to show, as the address has it.
 *
 * @module
 */
import { MOST_COLUMNS } from './columns.ts'
import type { Sort } from './sort.ts'

export type View = {
  /** the place of the page's first item, counted from 0 */
  readonly from: number
  /** the values of `columns`; empty: the reader chose none in the address */
  readonly columns: readonly string[]
  readonly sort: string
  readonly find: string
  readonly images: boolean
}

/** Items on a page. */
export const PAGE = 50
export const ALL = '*'
const LONGEST_TEXT = 200
const LARGEST_FROM = 1_000_000_000

/** The first page as it is. */
export const ANY: View = { from: 0, columns: [], sort: '', find: '', images: false }

/** Reads the view. What makes no sense is left out. */
export function viewOf({ searchParams: query }: Pick<URL, 'searchParams'>): View {
  const from = query.get('from') ?? ''
  return {
    from: /^\d{1,10}$/.test(from) ? Math.min(Number(from), LARGEST_FROM) : 0,
    columns: query.getAll('columns').filter((value) => value !== ''),
    sort: (query.get('sort') ?? '').slice(0, LONGEST_TEXT),
    find: (query.get('find') ?? '').slice(0, LONGEST_TEXT).trim(),
    images: query.get('images') === '1',
  }
}

/** The query of an address that shows the view; empty for the first page as it is. */
export function queryOf({ from, columns, sort, find, images }: View): string {
  const query = new URLSearchParams()
  if (from > 0) query.set('from', String(from))
  for (const value of columns) query.append('columns', value)
  if (sort !== '') query.set('sort', sort)
  if (find !== '') query.set('find', find)
  if (images) query.set('images', '1')
  const text = query.toString().replaceAll('%2C', ',')
  return text === '' ? '' : `?${text}`
}

/** The columns as the values of `columns`: one, with commas, unless a name has a comma itself. */
export const columnsText = (names: readonly string[]): readonly string[] =>
  names.some((name) => name.includes(',') || name === ALL) ? names : [names.join(',')]

/**
 * The columns that the values of `columns` name. A value is the name of a field, names with commas, or `*` for all.
 *
 * @param fields that the items have
 * @param most by default as many as the table has room for
 * @returns those of them that exist, each once
 */
export function columnsIn(
  values: readonly string[],
  fields: readonly string[],
  most = MOST_COLUMNS,
): readonly string[] {
  const known = new Set(fields)
  const names = values.flatMap((value) => (known.has(value) ? [value] : value.split(',')))
  const all = names.includes(ALL) && !known.has(ALL) ? fields : names.filter((name) => known.has(name))
  return [...new Set(all)].slice(0, most)
}

/** The order that `sort` names: a column, or a column after `-`, which is descending. */
export function sortIn(text: string, fields: readonly string[]): Sort | undefined {
  if (fields.includes(text)) return { column: text, isDescending: false }
  const column = text.startsWith('-') ? text.slice(1) : ''
  return fields.includes(column) ? { column, isDescending: true } : undefined
}
