/**
 * Fields that many tasks share, with common bounds and descriptions.
 *
 * @module
 */
import {
  type TArray,
  type TInteger,
  type TLiteral,
  type TOptional,
  type TString,
  type TUnion,
  Type,
} from '@sinclair/typebox'

type Words = {
  readonly description?: string
  /** its label in the console; by default its name in words: `depart_date` is `Depart date` */
  readonly title?: string
}

/**
 * A value with its name, such as the id of a condition.
 *
 * @example
 * const used: NamedValue = ['2', 'Very good']
 * used[1] // => 'Very good'
 */
export type NamedValue = readonly [value: string, name: string]

/**
 * Named values as the keyword `x-names` of a field's schema: the console offers them as choices. The field accepts
 * other values too.
 *
 * @example
 * named([['2', 'Very good']]) // => [{ const: '2', title: 'Very good' }]
 */
export const named = (values: readonly NamedValue[]): { const: string; title: string }[] =>
  values.map(([value, title]) => ({ const: value, title }))

/**
 * An input field for a search query: 1 to 1,000 characters, required.
 *
 * @example
 * const Input = Type.Object({ query: Query() })
 * issuesOf(Input, { query: '' })[0]?.detail // => 'must be text of 1 to 1000 characters'
 */
export const Query = ({ description = 'What to search for.', ...words }: Words = {}): TString =>
  Type.String({ minLength: 1, maxLength: 1000, description, ...words })

/**
 * An input field for the maximum number of items: a whole number of at least 1, optional.
 *
 * @param most the largest value allowed; default 500
 * @param fallback the value when the client sends none: `run` then always gets a number. Without a fallback, `run`
 *   gets undefined, and a task should then read one page of the source
 * @example
 * const Input = Type.Object({ limit: Limit(100, 25) })
 * issuesOf(Input, { limit: 101 })[0]?.detail // => 'must be a whole number from 1 to 100'
 */
export function Limit(most: number | undefined, fallback: number): TInteger
export function Limit(most?: number, fallback?: undefined, words?: Words): TOptional<TInteger>
export function Limit(most = 500, fallback?: number, words: Words = {}): TInteger | TOptional<TInteger> {
  const {
    description = `The maximum number of items${fallback === undefined ? '. Default: one page of the source' : ''}.`,
    ...rest
  } = words
  return count({ description, ...rest }, most, fallback)
}

/**
 * An input field for the number of pages of the source to read: a whole number of at least 1; default 1.
 *
 * @param most the largest value allowed
 *
 * @example
 * const Input = Type.Object({ pages: Pages(20) })
 * issuesOf(Input, { pages: 0 })[0]?.detail // => 'must be a whole number from 1 to 20'
 */
export const Pages = (most: number): TInteger =>
  count({ description: 'The number of pages to read.' }, most, 1) as TInteger

/**
 * An input field for the number of one page of the source: 1 to 1,000, optional.
 *
 * @example
 * const Input = Type.Object({ page: Page() })
 * issuesOf(Input, { page: 1.5 })[0]?.detail // => 'must be a whole number from 1 to 1000'
 */
export const Page = (): TOptional<TInteger> =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'The page of the source to read.' }))

/** A client may omit a field with a default. The plugin always gets a value, so the type is not optional. */
const count = (words: Words, maximum: number, fallback?: number): TInteger =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum,
      ...words,
      ...(fallback === undefined ? {} : { default: fallback }),
    }),
  )

/**
 * The form of a source's own positions; see {@link Cursor}.
 *
 * @example
 * const form: CursorForm = { pattern: 't\\d_[a-z0-9]+', words: 'a fullname, such as t3_abc' }
 * const Input = Type.Object({ after: Cursor(form) })
 * issuesOf(Input, { after: '7' })[0]?.detail // => 'must be a fullname, such as t3_abc'
 */
export type CursorForm = {
  /** the position is a number from 0 to `max`; default 1,000,000. Ignored when `pattern` is set */
  readonly max?: number
  /** a regular expression for the whole position, without anchors, for sources whose positions are not numbers */
  readonly pattern?: string
  /** the description of a position in error messages; default derived from `max` or `pattern` */
  readonly words?: string
  /** also allow positions inside a page, such as `24+10`, which `paged` returns; default false */
  readonly insidePage?: boolean
}

/**
 * An optional input field that takes `next_cursor` of a previous result: the source's own position as text. Its form
 * and range are checked before anything is charged.
 *
 * @example
 * const Input = Type.Object({ cursor: Cursor({ max: 10_000 }) })
 * issuesOf(Input, { cursor: '10000' }) // => []
 * issuesOf(Input, { cursor: '10001' })[0]?.detail // => 'must be a number from 0 to 10000 as a string'
 */
export function Cursor({ max, pattern, words, insidePage = false }: CursorForm): TOptional<TString> {
  const form = pattern ?? upTo(max ?? 1_000_000)
  const name =
    words ?? (pattern ? `text matching ${pattern}` : `a number from 0 to ${max ?? 1_000_000} as a string`)
  return Type.Optional(
    Type.String({
      pattern: `^(?:${form})${insidePage ? '(?:\\+\\d{1,6})?' : ''}$`,
      'x-must-be': insidePage ? `${name}, optionally followed by "+" and a number of rows` : name,
      title: 'Continue from',
      description: 'The position to continue from: `next_cursor` of a previous result.',
    }),
  )
}

/** A regular expression for the whole numbers from 0 to `max`, written without leading zeros. */
function upTo(max: number): string {
  const digits = String(max)
  const forms = digits.length > 1 ? ['\\d'] : []
  if (digits.length > 2) forms.push(`[1-9]\\d{1,${digits.length - 2}}`)
  for (let i = 0; i < digits.length; i++) {
    const least = i === 0 && digits.length > 1 ? 1 : 0
    const below = Number(digits[i]) - 1
    if (below < least) continue
    const rest = digits.length - i - 1
    forms.push(`${digits.slice(0, i)}[${least}-${below}]${rest > 0 ? `\\d{${rest}}` : ''}`)
  }
  return [...forms, digits].join('|')
}

/**
 * The schema of a choice among texts. The type of its values is the union of these texts.
 *
 * @example
 * const sort: TChoice<['hot', 'new']> = Choice(['hot', 'new'])
 * issuesOf(sort, 'new') // => []
 */
export type TChoice<Values extends readonly string[]> = TUnion<{
  -readonly [I in keyof Values]: TLiteral<Values[I]>
}>

/**
 * An input field that takes one of several texts. It is required unless it has a fallback.
 *
 * @param fallback the value when the client sends none
 * @example
 * const Input = Type.Object({ sort: Choice(['hot', 'new'], 'hot') })
 * issuesOf(Input, {}) // => []
 * issuesOf(Input, { sort: 'best' })[0]?.detail // => 'must be one of hot, new'
 */
export function Choice<const Values extends readonly string[]>(
  values: Values,
  fallback?: Values[number],
  words: Words = {},
): TChoice<Values> {
  const literals = values.map((value) => Type.Literal(value))
  const choice = Type.Union(literals, { ...words, ...(fallback === undefined ? {} : { default: fallback }) })
  return (fallback === undefined ? choice : Type.Optional(choice)) as unknown as TChoice<Values>
}

/**
 * An optional input field for up to 100 ids or words: an array of texts, or one comma-separated text. Read it with
 * `listOf`.
 *
 * @param entry a regular expression for one entry, without anchors; default 1 to 200 characters other than commas
 * @param words.each what an entry is, for errors, such as `an id of digits`; default the regular expression
 * @param words.names known entries with their names, for people who choose among them; others are accepted too
 * @example
 * const Input = Type.Object({ brand_ids: CommaList('\\d+') })
 * issuesOf(Input, { brand_ids: ['53', '14'] }) // => []
 * issuesOf(Input, { brand_ids: '53, 14' }) // => []
 * issuesOf(Input, { brand_ids: '53;14' })[0]?.pointer // => '/brand_ids'
 */
export function CommaList(
  entry?: string,
  {
    description = 'An array of strings, or one comma-separated string.',
    each,
    names,
    ...words
  }: Words & { readonly each?: string; readonly names?: readonly NamedValue[] } = {},
): TOptional<TUnion<[TArray<TString>, TString]>> {
  // `listOf` trims the entries. Matching blanks here in a second way would take quadratic time.
  const one = entry === undefined ? '[^,]{1,200}' : `\\s*(?:${entry})\\s*`
  const form = entry === undefined ? 'without commas' : `matching ${entry}`
  const array = Type.Array(Type.String({ pattern: `^(?:${one})$`, 'x-must-be': each ?? `text ${form}` }), {
    maxItems: 100,
  })
  const text = Type.String({
    pattern: `^(?:${one})(?:,${one}){0,99}$`,
    'x-must-be':
      each === undefined
        ? `texts${entry === undefined ? '' : ` ${form}`}, separated by commas`
        : `a comma-separated list, in which each entry is ${each}`,
  })
  return Type.Optional(
    Type.Union([array, text], { description, ...words, ...(names && { 'x-names': named(names) }) }),
  )
}

/**
 * The entries of a `CommaList`, trimmed and without duplicates. Empty when the field was not sent.
 *
 * @example
 * listOf('53, 14,53') // => ['53', '14']
 * listOf(undefined) // => []
 */
export function listOf(input: string | readonly string[] | undefined): string[] {
  const entries = typeof input === 'string' ? input.split(',') : (input ?? [])
  return [...new Set(entries.map((entry) => entry.trim()).filter((entry) => entry !== ''))]
}

/**
 * A field of an item that holds a time: RFC 3339 in UTC, as `timeOf` returns it.
 *
 * @example
 * const Item = Type.Object({ created_at: Time() })
 * const item: Static<typeof Item> = { created_at: '2026-01-31T12:00:00Z' }
 * item.created_at // => '2026-01-31T12:00:00Z'
 */
export const Time = (words: Words = {}): TString =>
  Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z$',
    'x-must-be': 'a time in UTC, such as 2026-01-31T12:00:00Z',
    ...words,
  })

/**
 * A field of an item that holds an absolute http(s) URL as the source writes it: with letters that the format `uri` of
 * JSON Schema does not allow.
 *
 * @example
 * const Item = Type.Object({ url: Link() })
 * const item: Static<typeof Item> = { url: 'https://shop.example/1' }
 * item.url // => 'https://shop.example/1'
 */
export const Link = (words: Words = {}): TString =>
  Type.String({ pattern: '^https?://', 'x-must-be': 'an absolute URL', ...words })
