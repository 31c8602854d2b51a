/**
 * `marketplace.member.items`: the items that a member sells or has sold.
 *
 * @module
 */
import {
  Choice,
  defineTask,
  NotFound,
  Pages,
  Private,
  quantity,
  SourceChanged,
  shortUrl,
  summaryOf,
  Type,
} from 'gleaner/plugin'
import { memberAt, memberIssues } from '../domains.ts'
import { WardrobeItem, wardrobeItemOf } from '../item.ts'
import { listPageOf, listRows, type Position, TOTALS, withRows } from '../listing.ts'
import { goodJson, type Kinds } from '../visitor/answer.ts'
import { visitorOf } from '../visitor/visitor.ts'

const ORDERS = ['relevance', 'newest_first', 'price_low_to_high', 'price_high_to_low'] as const
const PER_PAGE = 20

/** Codes and statuses that are answers about the member. */
const OF_MEMBER: Kinds = { 104: NotFound, 106: Private, 404: NotFound }

export const memberItems = defineTask({
  key: 'marketplace.member.items',
  path: '/v1/marketplace/member/items',
  title: 'Items of a marketplace member',
  description:
    'The wardrobe of one member, including reserved items. The site leaves sold items out, or marks them.',
  apiNotes:
    'This task was built from public clients of the site and single items, and has not been checked against recorded answers of a wardrobe.',
  price: 3,
  input: Type.Object({
    member_url: Type.String({
      title: 'Member',
      description: 'Full member profile URL, on any known domain: https://www.vinted.co.uk/member/123-name.',
    }),
    order: Choice(ORDERS, 'relevance', { title: 'Sort order', description: 'Wardrobe sort order.' }),
    pages: Pages(50),
    per_page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 96,
        default: PER_PAGE,
        title: 'Page size',
        description: 'Items per page.',
      }),
    ),
  }),
  refine: ({ member_url }) => memberIssues(member_url),
  summary: ({ member_url = '', order, pages }) =>
    summaryOf(shortUrl(member_url), order?.replaceAll('_', ' '), quantity(pages, 'page')),
  item: WardrobeItem,
  extra: TOTALS,
  example: { member_url: 'https://www.vinted.co.uk/member/20240017-marigold', pages: 2, per_page: 4 },
  // No canary: a wardrobe is a private person's, and comes and goes.
  async *run(context, { member_url, order, pages, per_page = PER_PAGE }) {
    const member = memberAt(member_url)
    if (!member) throw new TypeError('the input has passed no refine')
    const { site, id } = member
    const visitor = visitorOf(context, site)

    async function read(position: Position) {
      const query = { page: position.page, per_page, order }
      const answer = await visitor.ask(`/api/v2/wardrobe/${id}/items`, query)
      try {
        const list = listPageOf(goodJson(answer, OF_MEMBER), 'items', position, per_page)
        return withRows(context, list, (row) => wardrobeItemOf(row, site.origin, id))
      } catch (error) {
        if (!(error instanceof NotFound)) throw error
        // Throws NotFound again if there is no such member.
        goodJson(await visitor.ask(`/api/v2/users/${id}`), OF_MEMBER)
        throw new SourceChanged('the member exists, but the address of wardrobes does not')
      }
    }

    return yield* listRows(context, pages, read)
  },
})
