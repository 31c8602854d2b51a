/**
 * `realty_a.search`: homes for sale at a place, page by page as the site shows them.
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

/** Rows of a page; a featured one stands in front of them. */
const PAGE = 24
const LAST_INDEX = 999 * PAGE

export const search = defineTask({
  key: 'realty_a.search',
  path: '/v1/realty_a/search',
  title: 'Real-estate search A',
  description:
    'Homes for sale at a place in the United Kingdom, as Rightmove lists them. The site shows about 1,000 of a search.',
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
      // A site that only repeats itself has nothing more to say.
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
 * The page at an index; without rows when the index lies behind the site's last page, whatever the site shows there.
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
    // How the site treats a page behind its last is not known: the first one tells whether this is one.
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

/** @throws {Blocked} for a page that counts results and holds them back */
function complete(page: ResultPage, index: number): ResultPage {
  const { properties, total, last, next } = page
  if (properties.length === 0 && (total ?? 0) > 0 && (index === 0 || last !== null))
    throw new Blocked(`the page counts ${total} results but shows none`)
  // A page that leads back is another than the one asked for: who follows its cursors would never come to an end.
  return { ...page, next: next !== null && next > index ? next : null }
}
