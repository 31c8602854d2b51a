/**
 * `realty_a.search`: homes for sale at a place, in the pages of the site.
 *
 * @module
 */
import {
  Cursor,
  defineTask,
  idOrNull,
  Limit,
  Nullable,
  Page,
  paged,
  Query,
  summaryOf,
  Type,
} from 'gleaner/plugin'
import { findPlace } from './place/find.ts'
import { Property } from './property.ts'
import type { ResultPage } from './results/page.ts'
import { PAGE, resultsOf } from './results/read.ts'

const LAST_INDEX = 999 * PAGE

export const search = defineTask({
  key: 'realty_a.search',
  path: '/v1/realty_a/search',
  title: 'Real-estate search A',
  description:
    'Homes for sale at a place in the United Kingdom, as Rightmove lists them. The site shows about 1,000 results of a search.',
  price: 4,
  input: Type.Object({
    query: Query({
      description: 'A place: city, town, county, postcode or station. The best match is searched.',
    }),
    cursor: Cursor({
      max: LAST_INDEX,
      words: `an index from 0 to ${LAST_INDEX} as a string`,
      insidePage: true,
    }),
    limit: Limit(500, undefined, {
      description: `The maximum number of properties. Default: one page of the site (${PAGE}, plus a featured one).`,
    }),
    page: Page(),
  }),
  refine: ({ page, cursor }) =>
    page === undefined || cursor === undefined
      ? []
      : [{ pointer: '/page', code: 'conflict', detail: 'cannot be combined with cursor' }],
  summary: ({ query, page, cursor }) =>
    summaryOf(query, page ? `page ${page}` : undefined, cursor && `from ${cursor}`),
  item: Property,
  extra: {
    total_results: Nullable(
      Type.Integer({ description: 'The total number of results, as the site counts them.' }),
    ),
    page: Nullable(Type.Integer({ description: 'The first page that was read.' })),
    total_pages: Nullable(
      Type.Integer({ description: 'The number of pages that the site shows, at most 42.' }),
    ),
    location: Nullable(
      Type.Object(
        {
          identifier: Nullable(
            Type.String({ description: 'The id of the place at the site: `REGION^61310`.' }),
          ),
          name: Nullable(Type.String()),
        },
        { description: 'The place that was searched.' },
      ),
    ),
  },
  example: { query: 'Ambleside', limit: 30 },
  // Counties, in which there is always something for sale.
  canary: [
    { query: 'Cornwall', limit: 5 },
    { query: 'Lincolnshire', limit: 5 },
  ],
  async *run(context, { query, cursor, limit, page = 1 }) {
    const place = await findPlace(context, query)
    const readPage = resultsOf(context, place)
    let first: ResultPage | undefined
    const next_cursor = yield* paged({
      cursor,
      limit,
      first: String(PAGE * (page - 1)),
      key: ({ id }) => id,
      context,
      // A page that only repeats known rows is the last one.
      endsOnRepeat: true,
      async read(position) {
        const answer = await readPage(Number(position))
        first ??= answer
        return { rows: answer.properties, next: idOrNull(answer.next) }
      },
    })
    return {
      next_cursor,
      total_results: first?.total ?? null,
      page: first?.page ?? null,
      total_pages: first?.pages ?? null,
      location: { identifier: first?.identifier ?? place.identifier, name: first?.name ?? place.name },
    }
  },
})
