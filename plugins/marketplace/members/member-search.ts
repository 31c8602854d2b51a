/**
 * `marketplace.member.search`: members by name.
 *
 * @module
 */
import { defineTask, Pages, Query, quantity, routes, type Static, summaryOf, Type } from 'gleaner/plugin'
import { Domain, domainIssues, siteOf } from '../domains.ts'
import { type ListPage, listPageOf, listRows, type Position, TOTALS, withRows } from '../listing.ts'
import { goodJson } from '../visitor/answer.ts'
import { type QueryParams, visitorOf } from '../visitor/visitor.ts'
import { Member, memberOf } from './member.ts'

const PER_PAGE = 96

export const memberSearch = defineTask({
  key: 'marketplace.member.search',
  path: '/v1/marketplace/member/search',
  title: 'Marketplace member search',
  description:
    'Members of the marketplace whose names match a search term. The site often refuses it to visitors.',
  apiNotes:
    'This task was built from public clients of the site and single member records, and has not been checked against recorded answers of the search.',
  price: 3,
  input: Type.Object({
    query: Query({ title: 'Member', description: 'Member search term.' }),
    domain: Domain(),
    pages: Pages(20),
  }),
  refine: ({ domain }) => domainIssues(domain),
  summary: ({ query, domain, pages }) =>
    summaryOf(query, domain && siteOf(domain).domain, quantity(pages, 'page')),
  item: Member,
  extra: TOTALS,
  example: { query: 'marigold', pages: 2 },
  // First names, which many members have in theirs.
  canary: [
    { query: 'anna', pages: 1 },
    { query: 'marie', domain: 'www.vinted.fr', pages: 1 },
  ],
  async *run(context, { query, domain, pages }) {
    const site = siteOf(domain)
    const visitor = visitorOf(context, site)
    const rowOf = (row: unknown) => memberOf(row, site.origin)
    const route = (name: string, path: string, parameters: QueryParams) => ({
      name: `${name} ${site.domain}`,
      read: async (position: Position) => {
        const { page } = position
        const answer = await visitor.ask(path, { ...parameters, page, per_page: PER_PAGE })
        return withRows(context, listPageOf(goodJson(answer), 'users', position), rowOf)
      },
    })
    const read = routes<Position, ListPage<Static<typeof Member>>>(
      context,
      [
        // Most clients of 2026 use the first address; the second was seen to work in January 2026.
        route('users', '/api/v2/users', { search_text: query }),
        route('users/search', '/api/v2/users/search', { query }),
      ],
      { later: 'any' },
    )
    return yield* listRows(context, pages, read)
  },
})
