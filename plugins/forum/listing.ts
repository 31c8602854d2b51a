/**
 * Listings: lists of posts and comments that the site gives in pages, whose positions are fullnames.
 *
 * @module
 */
import {
  type Context,
  Cursor,
  type FetchOptions,
  type Issue,
  Limit,
  Nullable,
  paged,
  Type,
} from 'gleaner/plugin'

/** The most that the site gives at once. */
const MOST = 100
/** What it gives when no limit is named, but for what is pinned on top. */
const PAGE = 25

/** The spans of time that listings can be of, in the site's words. */
export const TIMEFRAMES = ['hour', 'day', 'week', 'month', 'year', 'all'] as const

/** @param kinds of the things that a position may name, such as `3` for posts */
const position = (kinds: string) =>
  Cursor({ pattern: `t[${kinds}]_[a-z0-9]{1,13}`, words: `a fullname, such as t${kinds[0]}_abc12` })

const limit = Limit(MOST, undefined, {
  description: `The maximum number of items. Default: one page of the site (${PAGE}, plus pinned posts).`,
})

/** The input fields of all listings of posts. */
export const ListingInput = {
  limit,
  after: position('3'),
  before: {
    ...position('3'),
    description: 'Reads backwards from a position: `before` of a previous result.',
  },
}

/** Those of listings that hold comments as well, and are read forwards only. */
export const MixedInput = { limit, after: position('13') }

/** What listings have beside their items. */
export const ListingRest = {
  after: Nullable(Type.String({ description: 'Pass it as `after` to continue; the same as `next_cursor`.' })),
  before: Nullable(Type.String({ description: 'Pass it as `before` to go back; null on the first page.' })),
  count: Nullable(Type.Integer({ description: 'The number of items in this result.' })),
}

/** For `refine`: one can go on or back, not both. */
export const directionIssues = ({ after, before }: { after?: string; before?: string }): Issue[] =>
  after === undefined || before === undefined
    ? []
    : [{ pointer: '/before', code: 'conflict', detail: 'cannot be combined with after' }]

/** Some of a listing, and the site's positions behind and before it. */
export type ListingPage<Item> = {
  readonly items: readonly Item[]
  readonly after: string | null
  readonly before: string | null
}

export type ListingOptions<Item> = {
  /** reads a page; `query` has what the listing as a whole is not asked with: size and position */
  readonly read: (query: NonNullable<FetchOptions['query']>) => Promise<ListingPage<Item>>
  readonly limit?: number | undefined
  readonly after?: string | undefined
  readonly before?: string | undefined
}

type ListingEnd = {
  readonly next_cursor: string | null
  readonly after: string | null
  readonly before: string | null
  readonly count: number
}

/**
 * Yields the items of a listing up to its limit, each once.
 *
 * @returns what stands beside them
 */
export async function* listing<Item extends { readonly fullname: string }>(
  context: Context,
  options: ListingOptions<Item>,
): AsyncGenerator<Item, ListingEnd, void> {
  const { limit, after, before } = options
  const first = before ?? after ?? ''
  let previous: string | null = null
  let pages = 0
  let seen = first === '' ? 0 : (limit ?? PAGE)
  const given = new Set<string>()
  const items = paged<Item>({
    cursor: undefined,
    first,
    limit,
    // What follows a page that was read backwards is where the client comes from.
    pages: before === undefined ? undefined : 1,
    key: ({ fullname }) => fullname,
    async read(from, wanted) {
      const page = await options.read({
        limit: limit === undefined ? undefined : wanted,
        [before === undefined ? 'after' : 'before']: from || undefined,
        // How many stand before it: without that the site names no position to go back to.
        count: from === '' ? undefined : seen,
      })
      if (pages === 0 && from !== '') previous = page.before ?? page.items[0]?.fullname ?? null
      pages++
      context.progress(pages, null, 'pages read')
      // What an earlier page had takes none of the places that are left.
      const fresh = page.items.filter(({ fullname }) => !given.has(fullname))
      // What is pinned comes on top of the size, so that a page can hold more than was asked for.
      const rows = fresh.slice(0, wanted)
      for (const { fullname } of rows) given.add(fullname)
      seen += rows.length
      return { rows, next: rows.length < fresh.length ? rows.at(-1)?.fullname : page.after }
    },
  })
  for (let count = 0; ; count++) {
    const { done, value } = await items.next()
    if (done) return { next_cursor: value, after: value, before: previous, count }
    yield value
  }
}
