/**
 * Listings: lists of posts and comments in pages. Their positions are fullnames; those of a search that is read from
 * parts are the site's own.
 *
 * @module
 */
import { type Context, Cursor, type Issue, Limit, Nullable, paged, Type } from 'gleaner/plugin'

/** The site's maximum page size as JSON. */
const MOST = 100
/** The site's default page size, without pinned posts. */
const PAGE = 25
/** The position of the first page. */
const START = '0'

/** The time spans of listings, in the site's words. */
export const TIMEFRAMES = ['hour', 'day', 'week', 'month', 'year', 'all'] as const

/** @param kinds the kinds that a position may have, such as `3` for posts */
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
    title: 'Back from',
    description:
      "Reads backwards from a position: `before` of a previous result. Needs a login or the operator's API key.",
  },
}

/** The input fields of listings that contain comments too. These can only be read forwards. */
export const MixedInput = { limit, after: position('13') }

/** The extra fields of listings. */
export const ListingRest = {
  after: Nullable(Type.String({ description: 'Pass it as `after` to continue; the same as `next_cursor`.' })),
  before: Nullable(Type.String({ description: 'Pass it as `before` to go back; null on the first page.' })),
  count: Nullable(Type.Integer({ description: 'The number of items in this result.' })),
}

/** For `refine`: a request can read forwards or backwards, but not both. */
export const directionIssues = ({ after, before }: { after?: string; before?: string }): Issue[] =>
  after === undefined || before === undefined
    ? []
    : [{ pointer: '/before', code: 'conflict', detail: 'cannot be combined with after' }]

/** The position of a request in a few words; undefined at the start. Those of parts are long and say nothing. */
export function positionIn({ after, before }: { after?: string; before?: string }): string | undefined {
  const words = after === undefined ? before && `before ${before}` : `after ${after}`
  return words && words.length > 30 ? 'a later part' : words
}

/** One page to be read. */
export type ListingRequest = {
  /** undefined: the first page */
  readonly position: string | undefined
  readonly isBackwards: boolean
  /** the number of items that are wanted; undefined: what the site returns as a page */
  readonly size: number | undefined
  /** the number of items before this page */
  readonly before: number
}

/** A page of a listing, with the site's positions after and before it. */
export type ListingPage<Item> = {
  readonly items: readonly Item[]
  readonly after: string | null
  readonly before: string | null
  /** whether only pages have positions, and items have none */
  readonly isOpaque?: boolean
}

export type ListingOptions<Item> = {
  readonly read: (request: ListingRequest) => Promise<ListingPage<Item>>
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
 * Yields the items of a listing up to its limit, without duplicates.
 *
 * @returns the result without its items
 */
export async function* listing<Item extends { readonly fullname: string }>(
  context: Context,
  options: ListingOptions<Item>,
): AsyncGenerator<Item, ListingEnd, void> {
  const { limit, after, before } = options
  const first = before ?? after ?? START
  let previous: string | null = null
  let pages = 0
  let itemsBefore = first === START ? 0 : (limit ?? PAGE)
  const returnedIds = new Set<string>()
  const items = paged<Item>({
    cursor: undefined,
    first,
    limit,
    // Only one page is read backwards: the items after it are those that the client has already.
    pages: before === undefined ? undefined : 1,
    key: ({ fullname }) => fullname,
    async read(from, count) {
      const page = await options.read({
        position: from === START ? undefined : from,
        isBackwards: before !== undefined,
        size: limit === undefined ? undefined : count,
        before: itemsBefore,
      })
      pages++
      context.progress(pages, null, pages === 1 ? 'page read' : 'pages read')
      if (page.isOpaque) return { rows: page.items, next: page.after }
      if (pages === 1 && from !== START) previous = page.before ?? page.items[0]?.fullname ?? null
      // Items of an earlier page do not count towards the limit.
      const fresh = page.items.filter(({ fullname }) => !returnedIds.has(fullname))
      // Pinned posts are added to the page size, so a page can contain more items than requested.
      const rows = fresh.slice(0, count)
      for (const { fullname } of rows) returnedIds.add(fullname)
      itemsBefore += rows.length
      return { rows, next: rows.length < fresh.length ? rows.at(-1)?.fullname : page.after }
    },
  })
  for (let count = 0; ; count++) {
    const { done, value } = await items.next()
    if (done) return { next_cursor: value, after: value, before: previous, count }
    yield value
  }
}
