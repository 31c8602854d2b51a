/**
 * `realty_b.search`: homes for sale in a city, neighborhood, county or ZIP code, or the home at an address.
 *
 * @module
 */
import {
  Choice,
  Cursor,
  defineTask,
  Limit,
  Nullable,
  Page,
  paged,
  Query,
  shortUrl,
  summaryOf,
  Type,
} from 'gleaner/plugin'
import { Home } from './homes/home.ts'
import { readHome } from './homes/home-page.ts'
import { findPlace } from './places/find.ts'
import { PLACE_KINDS, type Place } from './places/place.ts'
import { regionReader } from './regions/reader.ts'
import { PAGE, type Region } from './regions/region.ts'

const LAST_PAGE = 1000

export const search = defineTask({
  key: 'realty_b.search',
  path: '/v1/realty_b/search',
  title: 'Real-estate search B',
  description:
    'Homes for sale in the United States and Canada, as Redfin lists them: in a city, neighborhood, county or ZIP code, or at one address.',
  price: 4,
  input: Type.Object({
    query: Query({
      description:
        'City, neighborhood, county, ZIP code or address, or the address of its page. A ZIP code, or a city with its state, is the most certain. A state is too broad.',
    }),
    cursor: Cursor({
      pattern: '[1-9]\\d{0,2}|1000',
      words: `a page number from 1 to ${LAST_PAGE} as a string`,
      insidePage: true,
    }),
    limit: Limit(500, undefined, {
      description: `The maximum number of homes. Default: one page (${PAGE}, or up to 350 for a ZIP code).`,
    }),
    page: Page(),
  }),
  refine: ({ page, cursor }) =>
    page === undefined || cursor === undefined
      ? []
      : [{ pointer: '/page', code: 'conflict', detail: 'cannot be combined with cursor' }],
  summary({ query = '', page, cursor }) {
    const first = page ?? cursor
    return summaryOf(shortUrl(query), first ? `page ${first}` : undefined)
  },
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
  canary: [
    { query: 'Seattle, WA', limit: 5 },
    { query: 'Chicago, IL', limit: 5 },
  ],
  async *run(context, { query, cursor, limit, page = 1 }) {
    const place = await findPlace(context, query)
    let { id } = place
    const readPage = isRegion(place)
      ? regionReader(context, place)
      : async (number: number) => ({
          homes: number === 1 ? [await readHome(context, place)] : [],
          more: false,
          id,
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
        const page = await readPage(number)
        id = page.id
        return { rows: page.homes, next: page.more && number < LAST_PAGE ? String(number + 1) : null }
      },
    })
    return { next_cursor, location: { kind: place.kind, identifier: id!, name: place.name } }
  },
})

const isRegion = (place: Place): place is Region => place.kind !== 'address'
