/**
 * The catalogue of items for sale, which both searches read. One service has two addresses, and the catalogue page
 * contains the same list. Positions are page numbers on all three.
 *
 * @module
 */
import { type Context, routes, type Static } from 'gleaner/plugin'
import type { Site } from '../domains.ts'
import { type Item, itemOf } from '../item.ts'
import { type ListPage, listPageOf, listRows, type Position, withRows } from '../listing.ts'
import { goodJson, goodPage } from '../visitor/answer.ts'
import { visitorOf } from '../visitor/visitor.ts'
import { type Criteria, PER_PAGE, pageQuery, serviceQuery } from './filters.ts'
import { catalogPageOf } from './page.ts'

/** The site has no more pages for one search, however many entries it counts. */
const MOST_PAGES = 10

/** Items that match a search. */
export async function* catalogItems(context: Context, site: Site, pages: number, criteria: Criteria) {
  const { domain, origin } = site
  const visitor = visitorOf(context, site)
  type Read = (position: Position) => Promise<ListPage<unknown>>
  // The site of one country may refuse on its own, so the names of routes hold the domain.
  const route = (name: string, read: Read) => ({
    name: `${name} ${domain}`,
    read: async (position: Position) => withRows(context, await read(position), (row) => itemOf(row, origin)),
  })
  const paths = [
    route('gateway', async (position) => {
      const answer = await visitor.ask('/web/gateway/svc-catalogue/items', serviceQuery(criteria, position))
      return listPageOf(goodJson(answer), 'items', position, PER_PAGE)
    }),
    route('api', async (position) => {
      const answer = await visitor.askApi('/svc-catalogue/items', serviceQuery(criteria, position))
      return listPageOf(goodJson(answer), 'items', position, PER_PAGE)
    }),
    route('page', async (position) => {
      const reply = await visitor.page(`/catalog?${pageQuery(criteria, position)}`)
      return catalogPageOf(reply, await goodPage(reply), position)
    }),
  ]
  const read = routes<Position, ListPage<Static<typeof Item>>>(context, paths, { later: 'any' })
  return yield* listRows(context, Math.min(pages, MOST_PAGES), read)
}
