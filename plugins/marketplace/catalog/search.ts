/**
 * `marketplace.search`: items for sale by search term.
 *
 * @module
 */
import { defineTask, Pages, Query, quantity, summaryOf, Type } from 'gleaner/plugin'
import { Domain, domainIssues, siteOf } from '../domains.ts'
import { Item } from '../item.ts'
import { TOTALS } from '../listing.ts'
import { catalogItems } from './items.ts'

export const search = defineTask({
  key: 'marketplace.search',
  path: '/v1/marketplace/search',
  title: 'Marketplace search',
  description:
    'Second-hand items for sale that match a search term, in the site’s order. A page has up to 96 items, and the site shows at most 960 items (ten pages) for one search. For more items, raise `pages`.',
  price: 3,
  input: Type.Object({
    query: Query({ title: 'Search term', description: 'Search term.' }),
    domain: Domain(),
    pages: Pages(20),
  }),
  refine: ({ domain }) => domainIssues(domain),
  summary: ({ query, domain, pages }) =>
    summaryOf(query, domain && siteOf(domain).domain, quantity(pages, 'page')),
  item: Item,
  extra: TOTALS,
  example: { query: 'desk lamp', pages: 2 },
  canary: [
    { query: 'nike', pages: 1 },
    { query: 'jean', domain: 'www.vinted.fr', pages: 1 },
  ],
  async *run(context, { query, domain, pages }) {
    return yield* catalogItems(context, siteOf(domain), pages, { query })
  },
})
