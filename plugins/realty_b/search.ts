/**
 * `realty_b.search`: homes for sale in a city, neighborhood, county or ZIP code, or the home at an address.
 *
 * @module
 */
import { Choice, Cursor, defineTask, Limit, Nullable, Page, paged, Query, Type } from 'gleaner/plugin'
import { Home } from './home.ts'
import { findPlace, PLACE_KINDS, type Place } from './place.ts'
import { readHome } from './property-page.ts'
import { PAGE, type Region, regionReader } from './region.ts'

const LAST_PAGE = 1000

export const search = defineTask({
  key: 'realty_b.search',
  path: '/v1/realty_b/search',
  title: 'Real-estate search B',
  description:
    'Homes for sale in the United States and Canada, as Redfin lists them: in a city, neighborhood, county or ZIP code, or at one address.',
  price: 4,
  input: Type.Object({
    query: Query({ description: 'City, neighborhood, county, ZIP code or address. A state is too broad.' }),
    cursor: Cursor({
      pattern: '[1-9]\\d{0,2}|1000',
      words: `a page number from 1 to ${LAST_PAGE} as a string`,
      insidePage: true,
    }),
    limit: Limit(500, undefined, {
      description: `The maximum number of homes. Default: one page (${PAGE}).`,
    }),
    page: Page(),
  }),
  refine: ({ page, cursor }) =>
    page === undefined || cursor === undefined
      ? []
      : [{ pointer: '/page', code: 'conflict', detail: 'cannot be combined with cursor' }],
  item: Home,
  extra: {
    location: Nullable(
      Type.Object(
        {
          kind: Choice(PLACE_KINDS),
          identifier: Type.String({ description: 'The number of the region or home at the site.' }),
          name: Nullable(Type.String()),
        },
        { description: 'The place that was searched.' },
      ),
    ),
  },
  example: { query: 'Port Townsend, WA', limit: 50 },
  async *run(context, { query, cursor, limit, page = 1 }) {
    const place = await findPlace(context, query)
    const readPage = isRegion(place)
      ? regionReader(context, place)
      : async (number: number) => ({
          homes: number === 1 ? [await readHome(context, place)] : [],
          more: false,
        })
    const next_cursor = yield* paged({
      cursor,
      limit,
      first: String(page),
      key: ({ property_id }) => property_id,
      context,
      // A page that only repeats known rows is the last one.
      endsOnRepeat: true,
      async read(position) {
        const number = Number(position)
        const { homes, more } = await readPage(number)
        return { rows: homes, next: more && number < LAST_PAGE ? String(number + 1) : null }
      },
    })
    return { next_cursor, location: { kind: place.kind, identifier: place.id, name: place.name } }
  },
})

const isRegion = (place: Place): place is Region => place.kind !== 'address'
