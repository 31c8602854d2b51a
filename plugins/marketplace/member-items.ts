/**
 * `marketplace.member.items`: the items that a member sells or has sold.
 *
 * @module
 */
import { Choice, defineTask, Pages, Type } from 'gleaner/plugin'
import { memberAt, memberIssues } from './domains.ts'
import { WardrobeItem, wardrobeItemOf } from './item.ts'
import { listed, TOTALS } from './listing.ts'
import { apiOf } from './session.ts'

const ORDERS = ['relevance', 'newest_first', 'price_low_to_high', 'price_high_to_low'] as const
const PER_PAGE = 20

export const memberItems = defineTask({
  key: 'marketplace.member.items',
  path: '/v1/marketplace/member/items',
  title: 'Items of a marketplace member',
  description:
    'The wardrobe of one member, including sold and reserved items. This task was built from public clients of the site and single items, and has not been checked against recorded answers of a wardrobe.',
  price: 3,
  input: Type.Object({
    member_url: Type.String({
      description: 'Full member profile URL, on any known domain: https://www.vinted.co.uk/member/123-name.',
    }),
    order: Choice(ORDERS, 'relevance', { description: 'Wardrobe sort order.' }),
    pages: Pages(50),
    per_page: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 96, default: PER_PAGE, description: 'Items per page.' }),
    ),
  }),
  refine: ({ member_url }) => memberIssues(member_url),
  item: WardrobeItem,
  extra: TOTALS,
  example: { member_url: 'https://www.vinted.co.uk/member/20240017-marigold', pages: 2, per_page: 4 },
  async *run(context, { member_url, order, pages, per_page = PER_PAGE }) {
    const member = memberAt(member_url)
    if (!member) throw new TypeError('the input has passed no refine')
    const { site, id } = member
    const api = apiOf(context, site)
    return yield* listed(context, {
      list: 'items',
      pages,
      ask: (page) => api(`/api/v2/wardrobe/${id}/items`, { page, per_page, order }),
      rowOf: (row) => wardrobeItemOf(row, site.origin, id),
    })
  },
})
