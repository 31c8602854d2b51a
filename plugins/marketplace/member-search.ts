/**
 * `marketplace.member.search`: members by name.
 *
 * @module
 */
import { defineTask, NotFound, Pages, Query, Type } from 'gleaner/plugin'
import { Domain, domainIssues, siteOf } from './domains.ts'
import { listed, TOTALS } from './listing.ts'
import { Member, memberOf } from './member.ts'
import { type Api, apiOf } from './session.ts'

const PER_PAGE = 96

export const memberSearch = defineTask({
  key: 'marketplace.member.search',
  path: '/v1/marketplace/member/search',
  title: 'Marketplace member search',
  description:
    'Members of the marketplace whose names match a search term. This task was built from public clients of the site and single member records, and has not been checked against recorded answers of the search.',
  price: 3,
  input: Type.Object({
    query: Query({ description: 'Member search term.' }),
    domain: Domain(),
    pages: Pages(20),
  }),
  refine: ({ domain }) => domainIssues(domain),
  item: Member,
  extra: TOTALS,
  example: { query: 'marigold', pages: 2 },
  async *run(context, { query, domain, pages }) {
    const site = siteOf(domain)
    const users = usersOf(apiOf(context, site), query)
    return yield* listed(context, {
      list: 'users',
      pages,
      ask: users,
      rowOf: (row) => memberOf(row, site.origin),
    })
  },
})

/**
 * Requests users with the search that most clients use. A site without it gets the search seen in its place in 2026.
 */
function usersOf(api: Api, query: string): (page: number) => Promise<unknown> {
  const size = { per_page: PER_PAGE }
  let moved = false
  const older = (page: number) => api('/api/v2/users', { search_text: query, page, ...size })
  const newer = (page: number) => api('/api/v2/users/search', { query, page, ...size })
  return async (page) => {
    if (moved) return newer(page)
    try {
      return await older(page)
    } catch (error) {
      if (!(error instanceof NotFound) || page > 1) throw error
      moved = true
      return newer(page)
    }
  }
}
