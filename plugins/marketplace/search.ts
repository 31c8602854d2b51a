/**
 * `marketplace.search`: things for sale, by words.
 *
 * @module
 */
import { defineTask, Pages, Query, Type } from 'gleaner/plugin'
import { catalogItems } from './catalog.ts'
import { Domain, domainIssues, siteOf } from './domains.ts'
import { Item } from './item.ts'
import { TOTALS } from './listing.ts'

export const search = defineTask({
  key: 'marketplace.search',
  path: '/v1/marketplace/search',
  title: 'Marketplace search',
  description:
    'Second-hand items for sale that fit some words, in the order of the site. A page has up to 96 items, and the site shows no more than 960 for one search: ten pages. There is no cursor; ask for more pages instead.',
  price: 3,
  input: Type.Object({
    query: Query({ description: 'Search term.' }),
    domain: Domain(),
    pages: Pages(20),
  }),
  refine: ({ domain }) => domainIssues(domain),
  item: Item,
  extra: TOTALS,
  example: { query: 'desk lamp', pages: 2 },
  async *run(context, { query, domain, pages }) {
    return yield* catalogItems(context, siteOf(domain), pages, { search_text: query })
  },
})
