/**
 * The catalogue of things for sale, which both searches read.
 *
 * @module
 */
import type { Context, FetchOptions, Static } from 'gleaner/plugin'
import type { Site } from './domains.ts'
import { type Item, itemOf } from './item.ts'
import { listed } from './listing.ts'
import { apiOf } from './session.ts'

/** A page as the site itself reads it, and the most that it gives; asked for more it gives this, without a word. */
const PER_PAGE = 96

/**
 * Items that fit some parameters of the API.
 *
 * @param pages how many at most; the source has no more than 960 entries for one search
 * @param parameters without page, size and time
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
    // The time of page 1 holds the later ones to the same snapshot, so that new offers shift nothing.
    ask: (page, time) => api('/api/v2/catalog/items', { ...parameters, page, per_page: PER_PAGE, time }),
    rowOf: (row) => itemOf(row, site.origin),
  })
}
