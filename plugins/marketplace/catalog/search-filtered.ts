/**
 * `marketplace.search.filtered`: items for sale by search term and filters.
 *
 * @module
 */
import {
  Choice,
  CommaList,
  defineTask,
  type Issue,
  listOf,
  type NamedValue,
  Pages,
  Query,
  quantity,
  summaryOf,
  Type,
} from 'gleaner/plugin'
import { Domain, domainIssues, siteOf } from '../domains.ts'
import { Item } from '../item.ts'
import { TOTALS } from '../listing.ts'
import { catalogItems } from './items.ts'

/** The site does not offer the last order. Its older API supported it; of the present one this is not known. */
const ORDERS = [
  'relevance',
  'newest_first',
  'price_low_to_high',
  'price_high_to_low',
  'oldest_first',
] as const

/** @param names of known ids; the site has too many categories, brands and sizes to name them */
const ids = (title: string, what: string, names?: readonly NamedValue[]) =>
  CommaList('\\d{1,18}', {
    title,
    each: 'an id of up to 18 digits',
    description: `${what}: an array of strings, or one comma-separated string.`,
    ...(names && { names }),
  })

/** The conditions of items, best first. */
const CONDITIONS = [
  ['6', 'New with tags'],
  ['1', 'New without tags'],
  ['2', 'Very good'],
  ['3', 'Good'],
  ['4', 'Satisfactory'],
] as const

const amount = (title: string, description: string) =>
  Type.Optional(
    Type.String({
      title,
      pattern: '^\\d{1,9}(?:\\.\\d{1,2})?$',
      'x-must-be': 'an amount as a string, such as "7" or "7.50"',
      description: `${description}, in the currency of the country.`,
    }),
  )

export const searchFiltered = defineTask({
  key: 'marketplace.search.filtered',
  path: '/v1/marketplace/search/filtered',
  title: 'Filtered marketplace search',
  description:
    'Second-hand items for sale that match a search term and filters. Several values of one filter mean any of them. A page has up to 96 items, and the site shows at most 960 items (ten pages) for one search. For more items, raise `pages`.',
  price: 3,
  input: Type.Object({
    query: Query({ title: 'Search term', description: 'Search term.' }),
    brand_ids: ids('Brands', 'Ids of brands'),
    catalog: ids('More categories', 'Ids of categories; added to `catalog_ids`'),
    catalog_ids: ids('Categories', 'Ids of categories'),
    color_ids: ids('Colours', 'Ids of colours'),
    domain: Domain(),
    material_ids: ids('Materials', 'Ids of materials'),
    order: Choice(ORDERS, 'relevance', { title: 'Sort order', description: 'Sort order.' }),
    pages: Pages(20),
    patterns_ids: ids('Patterns', 'Ids of patterns'),
    price_from: amount('Lowest price', 'Minimum item price'),
    price_to: amount('Highest price', 'Maximum item price'),
    size_ids: ids('Sizes', 'Ids of sizes'),
    status_ids: ids('Conditions', 'Ids of conditions', CONDITIONS),
  }),
  refine: ({ domain, price_from, price_to }) => [
    ...domainIssues(domain),
    ...rangeIssues(price_from, price_to),
  ],
  summary({ query, domain, order, pages, price_from, price_to, ...filters }) {
    // Their ids say nothing to people.
    const used = Object.values(filters).filter((ids) => listOf(ids).length > 0).length
    return summaryOf(
      query,
      domain && siteOf(domain).domain,
      priceRange(price_from, price_to),
      quantity(used || undefined, 'filter'),
      order?.replaceAll('_', ' '),
      quantity(pages, 'page'),
    )
  },
  item: Item,
  extra: TOTALS,
  example: {
    query: 'wool jumper',
    catalog_ids: ['1841', '79'],
    status_ids: '6,1',
    price_from: '5',
    price_to: '40',
    order: 'newest_first',
    pages: 2,
  },
  canary: [
    { query: 'nike', price_to: '30', order: 'newest_first', pages: 1 },
    { query: 'levis', status_ids: '2,3', pages: 1 },
  ],
  async *run(context, input) {
    const { query, domain, order, pages, price_from, price_to } = input
    const ids = {
      catalog: listOf([...listOf(input.catalog_ids), ...listOf(input.catalog)]),
      brand: listOf(input.brand_ids),
      size: listOf(input.size_ids),
      status: listOf(input.status_ids),
      color: listOf(input.color_ids),
      material: listOf(input.material_ids),
      patterns: listOf(input.patterns_ids),
    }
    const criteria = { query, ids, price_from, price_to, order }
    return yield* catalogItems(context, siteOf(domain), pages, criteria)
  },
})

function priceRange(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined) return to && `price up to ${to}`
  return to === undefined ? `price from ${from}` : `price ${from} to ${to}`
}

function rangeIssues(from: string | undefined, to: string | undefined): Issue[] {
  if (from === undefined || to === undefined || Number(from) <= Number(to)) return []
  return [{ pointer: '/price_to', code: 'conflict', detail: 'must not be below price_from' }]
}
