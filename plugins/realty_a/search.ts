/**
 * `realty_a.search`: homes for sale at a place, in the pages of the site.
 *
 * @module
 */
import {
  Blocked,
  type Context,
  Cursor,
  defineTask,
  idOrNull,
  Limit,
  NotFound,
  Nullable,
  Page,
  paged,
  Query,
  SourceError,
  Type,
} from 'gleaner/plugin'
import { type ResultPage, resultPageOf } from './page.ts'
import { findPlace, type Place } from './place.ts'
import { Property } from './property.ts'

/** The number of rows on a page, without the featured row in front of them. */
const PAGE = 24
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
      description: 'A place: city, town, county, postcode or station. The first match is searched.',
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
  async *run(context, { query, cursor, limit, page = 1 }) {
    const place = await findPlace(context, query)
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
        const answer = await readPage(context, place, Number(position))
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

/**
 * The page at an index. It has no rows when the index is beyond the site's last page, even if the site shows some
 * there.
 *
 * @throws {SourceError}
 */
async function readPage(context: Context, place: Place, index: number): Promise<ResultPage> {
  try {
    const page = await fetchPage(context, place, index)
    return isBehindLast(page, index) ? behindLast(page, index) : complete(page, index)
  } catch (error) {
    const refused = error instanceof SourceError && (error.code === 'not-found' || error.code === 'bad-input')
    if (!refused || index === 0) throw error
    // It is unknown how the site responds beyond its last page. The first page tells whether the index is beyond it.
    const page = await fetchPage(context, place, 0)
    if (isBehindLast(page, index)) return behindLast(page, index)
    throw error
  }
}

async function fetchPage(context: Context, place: Place, index: number): Promise<ResultPage> {
  const reply = await context.fetch(place.path, {
    query: { ...place.query, index },
    headers: { accept: 'text/html', 'accept-language': 'en-GB' },
    accept: [404, 410],
  })
  if (reply.status >= 400) throw place.doubt ?? new NotFound(`the site answered ${reply.status}`)
  return resultPageOf(await reply.text(), context.origin, context.parse)
}

const isBehindLast = ({ last }: ResultPage, index: number): boolean => last !== null && index > last

const behindLast = (page: ResultPage, index: number): ResultPage => ({
  ...page,
  properties: [],
  page: Math.floor(index / PAGE) + 1,
  next: null,
})

/** @throws {Blocked} for a page that counts results but shows none */
function complete(page: ResultPage, index: number): ResultPage {
  const { properties, total, last, next } = page
  if (properties.length === 0 && (total ?? 0) > 0 && (index === 0 || last !== null))
    throw new Blocked(`the page counts ${total} results but shows none`)
  // A page whose next index does not advance is not the requested page. A client that follows it would never finish.
  return { ...page, next: next !== null && next > index ? next : null }
}
