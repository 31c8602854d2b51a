/**
 * `video.channel.shorts`: the Shorts of a channel, page by page, in one of three orders.
 *
 * @module
 */
import { BadInput, Choice, defineTask, Nullable, Pages, paged, Type } from 'gleaner/plugin'
import { Client } from './client.ts'
import { channelIdOf, identityIssues } from './identify.ts'
import { followingOf, type Listing, listingOf } from './listing.ts'
import { Channel, type Listed, Short, SORTS, type Sort } from './short.ts'

/** The position of the first page, which has been read already. */
const FIRST = 'first'

export const channelShorts = defineTask({
  key: 'video.channel.shorts',
  path: '/v1/video/channel/shorts',
  title: 'Shorts of a video channel',
  description: 'The Shorts of a public channel, sorted by latest, most popular or oldest.',
  price: 3,
  input: Type.Object({
    channel_id: Type.Optional(
      Type.String({
        pattern: '^UC[A-Za-z0-9_-]{22}$',
        'x-must-be': 'a channel id: UC and 22 letters, digits, _ or -',
        description: 'Exactly one of `channel_id`, `channel_url` and `handle` is required.',
      }),
    ),
    channel_url: Type.Optional(
      Type.String({ maxLength: 1000, description: 'Any address of the channel or of one of its tabs.' }),
    ),
    handle: Type.Optional(
      Type.String({ minLength: 1, maxLength: 101, description: 'With or without its leading @.' }),
    ),
    pages: Pages(20),
    sort: Choice(SORTS, 'latest', {
      description: 'The sort order. When the source does not offer it, all pages must be read to sort by it.',
    }),
  }),
  refine: identityIssues,
  item: Short,
  extra: {
    channel: Nullable(Channel),
    sort: Nullable(Choice(SORTS, undefined, { description: 'As requested.' })),
    sort_available: Nullable(
      Type.Array(Choice(SORTS), { description: 'The sort orders that the source offers.' }),
    ),
    pages_fetched: Nullable(Type.Integer()),
    item_count: Nullable(Type.Integer()),
    has_more: Nullable(Type.Boolean({ description: 'Whether there are more pages.' })),
  },
  example: { handle: '@PaperBoatStudio', pages: 2 },
  async *run(context, { pages, sort, ...identity }) {
    const client = new Client(context)
    const channelId = await channelIdOf(client, identity)
    const listing = await listingOf(client, channelId)
    const { channel_id, title: channel_title } = listing.channel
    let pages_fetched = 0
    let item_count = 0
    const rows = paged<Row>({
      cursor: undefined,
      first: firstOf(listing, sort) ?? FIRST,
      pages,
      key: ({ short }) => short.video_id,
      async read(position) {
        const { shorts, next } = position === FIRST ? listing.first : await followingOf(client, position)
        const page = ++pages_fetched
        context.progress(page, pages, 'pages read')
        return { rows: shorts.map((short) => ({ short, page })), next }
      },
    })
    const sorted = firstOf(listing, sort) === undefined ? sortedHere(rows, sort, listing) : rows
    let step = await sorted.next()
    for (; !step.done; step = await sorted.next()) {
      const { short, page } = step.value
      yield { ...short, channel_id, channel_title, position: item_count++, page }
    }
    return {
      next_cursor: step.value,
      channel: listing.channel,
      sort,
      sort_available: offered(listing),
      pages_fetched,
      item_count,
      has_more: step.value !== null,
    }
  },
})

/** The first position of an order; undefined when the source does not offer it. The first page is sorted by latest. */
const firstOf = ({ chips }: Listing, sort: Sort): string | undefined =>
  sort === 'latest' ? FIRST : chips.get(sort)

const offered = ({ chips }: Listing): Sort[] => SORTS.filter((sort) => sort === 'latest' || chips.has(sort))

type Row = { readonly short: Listed; readonly page: number }
type RowsOut = AsyncGenerator<Row, string | null, void>

/**
 * Sorts rows in an order that the source does not offer.
 *
 * @param rows the rows of the list, latest first
 * @throws {BadInput} when the list is longer than the requested pages, because only the whole list can be sorted
 */
async function* sortedHere(rows: RowsOut, sort: Sort, listing: Listing): RowsOut {
  const all: Row[] = []
  let step = await rows.next()
  for (; !step.done; step = await rows.next()) all.push(step.value)
  if (step.value !== null)
    throw new BadInput(`the channel's Shorts can only be sorted by ${offered(listing).join(', ')}`)
  if (sort === 'oldest') all.reverse()
  else all.sort((a, b) => (b.short.view_count ?? -1) - (a.short.view_count ?? -1))
  yield* all
  return null
}
