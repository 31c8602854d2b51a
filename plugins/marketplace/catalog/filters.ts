/**
 * What a search asks for, in the parameters of the service and of the catalogue page.
 *
 * @module
 */
import type { Position } from '../listing.ts'
import type { QueryParams } from '../visitor/visitor.ts'

/** The page size that the site itself uses. It is also the maximum: larger sizes are silently reduced to it. */
export const PER_PAGE = 96

/** The filters by the service's names, each with the page's name. Each side ignores the other's names. */
const FILTERS = {
  catalog: 'catalog',
  brand: 'brand_ids',
  size: 'size_ids',
  status: 'status_ids',
  color: 'color_ids',
  material: 'material_ids',
  patterns: 'patterns_ids',
} as const

type Filter = keyof typeof FILTERS

export type Criteria = {
  readonly query: string
  /** ids by filter; any of a filter's ids may match */
  readonly ids?: Readonly<Record<Filter, readonly string[]>>
  readonly price_from?: string | undefined
  readonly price_to?: string | undefined
  readonly order?: string
}

const idsOf = ({ ids }: Criteria) =>
  (Object.keys(FILTERS) as Filter[])
    .map((filter) => [filter, ids?.[filter] ?? []] as const)
    .filter(([, each]) => each.length > 0)

/** The parameters of the service. Without ids a filter is left out, because empty values are rejected. */
export const serviceQuery = (criteria: Criteria, { page, time }: Position): QueryParams => ({
  search_text: criteria.query,
  ...Object.fromEntries(idsOf(criteria).map(([filter, ids]) => [`attribute_ids[${filter}]`, ids.join(',')])),
  price_from: criteria.price_from,
  price_to: criteria.price_to,
  order: criteria.order,
  page,
  per_page: PER_PAGE,
  // The service returns later pages of the state of page 1, so new offers do not shift rows.
  time,
})

/** The parameters of the catalogue page, encoded, with one key for each id. */
export function pageQuery(criteria: Criteria, { page }: Position): string {
  const pairs = [
    ['search_text', criteria.query],
    ...idsOf(criteria).flatMap(([filter, ids]) => ids.map((id) => [`${FILTERS[filter]}[]`, id])),
    ['price_from', criteria.price_from],
    ['price_to', criteria.price_to],
    ['order', criteria.order],
    ['page', String(page)],
  ]
  return new URLSearchParams(
    pairs.filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString()
}
