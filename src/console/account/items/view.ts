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
  /** where the pages before begin that the reader came through, if these are not all of {@link PAGE} items */
  readonly before: readonly number[]
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
/** Pages that the address remembers. */
const MOST_BEFORE = 20

/** The first page as it is. */
export const ANY: View = { from: 0, before: [], columns: [], sort: '', find: '', images: false }

/** Reads the view. What makes no sense is left out. */
export function viewOf({ searchParams: query }: Pick<URL, 'searchParams'>): View {
  const text = query.get('from') ?? ''
  const from = /^\d{1,10}$/.test(text) ? Math.min(Number(text), LARGEST_FROM) : 0
  return {
    from,
    before: beforeIn(query.get('before') ?? '', from),
    columns: query.getAll('columns').filter((value) => value !== ''),
    sort: (query.get('sort') ?? '').slice(0, LONGEST_TEXT),
    find: (query.get('find') ?? '').slice(0, LONGEST_TEXT).trim(),
    images: query.get('images') === '1',
  }
}

function beforeIn(text: string, from: number): readonly number[] {
  const places = /^\d{1,10}(?:,\d{1,10})*$/.test(text) ? text.split(',').map(Number) : []
  const isRising = places.every((place, n) => place < (places[n + 1] ?? from))
  return isRising ? places.slice(-MOST_BEFORE) : []
}

/** The page after one. A page of fewer than {@link PAGE} items is remembered, so that "Previous" leads back to it. */
export function nextPage({ from, before }: View, next: number): Pick<View, 'from' | 'before'> {
  const isUsual = before.length === 0 && next - from === PAGE
  return { from: next, before: isUsual ? [] : [...before, from].slice(-MOST_BEFORE) }
}

/** The page that the reader came from, or the one of {@link PAGE} items before. */
export const previousPage = ({ from, before }: View): Pick<View, 'from' | 'before'> => ({
  from: before.at(-1) ?? Math.max(from - PAGE, 0),
  before: before.slice(0, -1),
})

/** What the page of an item keeps: whether images are shown, and the page of the table if it is not of {@link PAGE} items. */
export const viewOfItem = ({ from, before, images }: View): View => ({
  ...ANY,
  images,
  ...(before.length > 0 && { from, before }),
})

/** The query of an address that shows the view; empty for the first page as it is. */
export function queryOf({ from, before, columns, sort, find, images }: View): string {
  const query = new URLSearchParams()
  if (from > 0) query.set('from', String(from))
  if (before.length > 0) query.set('before', before.join())
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
