/**
 * `video.channel.shorts`: the Shorts of a channel, page by page, in one of three orders.
 *
 * @module
 */
import { Choice, defineTask, Nullable, Pages, quantity, summaryOf, Type } from 'gleaner/plugin'
import { firstPageOf } from './channel/first-page.ts'
import { channelPathOf, identityIssues } from './channel/identify.ts'
import { listingOf } from './list/listing.ts'
import { inOrder, sortsOf } from './list/order.ts'
import { Channel, Short, SORTS } from './short.ts'
import { Client } from './site/client.ts'

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
      description:
        'The sort order. When the source does not offer it, all pages may have to be read to sort by it.',
    }),
  }),
  refine: identityIssues,
  summary: ({ pages, sort, ...identity }) =>
    summaryOf(channelPathOf(identity).replace(/^\/(?:channel\/)?/, ''), sort, quantity(pages, 'page')),
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
  // The site's own channel, and an agency's.
  canary: [
    { handle: '@YouTube', pages: 1 },
    { handle: '@NASA', pages: 1 },
  ],
  async *run(context, { pages, sort, ...identity }) {
    const client = new Client(context)
    const listing = await listingOf(client, await firstPageOf(client, identity), sort)
    const { channel_id, title: channel_title } = listing.channel
    const rows = inOrder(client, listing, sort, pages)
    let item_count = 0
    let step = await rows.next()
    for (; !step.done; step = await rows.next()) {
      const { short, page } = step.value
      yield { ...short, channel_id, channel_title, position: item_count++, page }
    }
    return { ...step.value, channel: listing.channel, sort, sort_available: sortsOf(listing), item_count }
  },
})
