/**
 * The catalogue of items for sale, which both searches read.
 *
 * @module
 */
import type { Context, FetchOptions, Static } from 'gleaner/plugin'
import type { Site } from './domains.ts'
import { type Item, itemOf } from './item.ts'
import { listed } from './listing.ts'
import { apiOf } from './session.ts'

/** The page size that the site itself uses. It is also the maximum: larger sizes are silently reduced to it. */
const PER_PAGE = 96

/**
 * Items that match some parameters of the API.
 *
 * @param pages the maximum number of pages; the source has at most 960 entries for one search
 * @param parameters query parameters, without page, size and time
 */
export async function* catalogItems(
  context: Context,
  site: Site,
  pages: number,
  parameters: NonNullable<FetchOptions['query']>,
) {
  const api = apiOf(context, site)
  return yield* listed<Static<typeof Item>>(context, {
    list: 'items',
    pages,
    // The time of page 1 makes the API return later pages from the same snapshot, so new offers do not shift rows.
    ask: (page, time) => api('/api/v2/catalog/items', { ...parameters, page, per_page: PER_PAGE, time }),
    rowOf: (row) => itemOf(row, site.origin),
  })
}
