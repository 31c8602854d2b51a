/**
 * Reads a list in the requested order.
 *
 * @module
 */
import { BadInput, paged, SourceChanged } from 'gleaner/plugin'
import { type ListedShort, SORTS, type Sort } from '../short.ts'
import type { Client } from '../site/client.ts'
import { Refused } from '../site/refusals.ts'
import { followingOf, type Listing } from './listing.ts'
import type { Rows } from './rows.ts'
import { tokenFor } from './tokens.ts'

/** A Short with the number of its page. */
export type Row = { readonly short: ListedShort; readonly page: number }

/** What a list was when it ended. */
export type End = {
  readonly next_cursor: string | null
  readonly pages_fetched: number
  readonly has_more: boolean
}

type Reading = AsyncGenerator<Row, End, void>
/** A first page, and the token that it was requested with. */
type Start = { readonly token: string; readonly rows: Rows }

/** The position of a first page that has been read without a token. */
const FIRST = 'first'

/** The orders that the source offers for a list. */
export const sortsOf = ({ chips, order, isGated }: Listing): Sort[] =>
  SORTS.filter(
    (sort) => sort === order || (isGated && sort === 'latest') || chips.some((chip) => chip.sort === sort),
  )

/**
 * The Shorts of a list in an order.
 *
 * @throws {BadInput} when the source does not offer the order, and the list is longer than the requested pages
 */
export async function* inOrder(client: Client, listing: Listing, sort: Sort, pages: number): Reading {
  const { order, chips, first } = listing
  const token = chips.find((chip) => chip.sort === sort)?.token ?? null
  if (order === sort) return yield* allFrom(client, { token: FIRST, rows: first }, pages)
  if (token !== null) return yield* allFrom(client, await startOf(client, token), pages)
  // A list from the most popular to the least says nothing about ages.
  if (sort === 'popular' || order !== 'popular') {
    const [all, end] = await whole(pagesFrom(client, { token: FIRST, rows: first }, pages))
    if (!end.has_more) {
      yield* sort === 'popular' ? all.toSorted((a, b) => viewsOf(b) - viewsOf(a)) : all.toReversed()
      return end
    }
  }
  return yield* allFrom(client, await ownStart(client, listing, sort), pages)
}

const viewsOf = ({ short }: Row): number => short.view_count ?? -1

const startOf = async (client: Client, token: string): Promise<Start> => ({
  token,
  rows: await followingOf(client, token),
})

/** The first page by a token of our own. */
async function ownStart(client: Client, listing: Listing, sort: Sort): Promise<Start> {
  const refusal = new BadInput(`the channel's Shorts can only be sorted by ${sortsOf(listing).join(', ')}`)
  // The token asks for the tab, which an age gate hides.
  if (listing.isGated) throw refusal
  return startOf(client, tokenFor(listing.channel.channel_id, sort)).catch((error: unknown) => {
    throw error instanceof Refused ? refusal : error
  })
}

/** As {@link pagesFrom}. @throws {SourceChanged} for a list that goes on without saying how, before all pages are read */
async function* allFrom(client: Client, start: Start, pages: number): Reading {
  const end = yield* pagesFrom(client, start, pages)
  if (end.has_more && end.next_cursor === null && end.pages_fetched < pages)
    throw new SourceChanged('the list goes on, but its continuation has no token')
  return end
}

async function* pagesFrom(client: Client, start: Start, pages: number): Reading {
  let pages_fetched = 0
  let isCut = false
  const next_cursor = yield* paged<Row>({
    cursor: undefined,
    first: start.token,
    pages,
    key: ({ short }) => short.video_id,
    async read(position) {
      const rows = position === start.token ? start.rows : await followingOf(client, position)
      const page = ++pages_fetched
      isCut = rows.isCut
      client.context.progress(page, pages, 'pages read')
      return { rows: rows.shorts.map((short) => ({ short, page })), next: rows.next }
    },
  })
  return { next_cursor, pages_fetched, has_more: next_cursor !== null || isCut }
}

async function whole(reading: Reading): Promise<[Row[], End]> {
  const all: Row[] = []
  let step = await reading.next()
  for (; !step.done; step = await reading.next()) all.push(step.value)
  return [all, step.value]
}
