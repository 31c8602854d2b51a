/**
 * Reads the pages of a place's results: from the site's result page or, if that has changed, from the JSON that the
 * page itself asks for.
 *
 * @module
 */
import { Blocked, type Context, refusalOf, routes, SourceError } from 'gleaner/plugin'
import type { Place } from '../place/find.ts'
import { blockOf, OWN_ADDRESS, RESULT_PAGE } from '../refusals.ts'
import { LANGUAGE, pageOfModel, type ResultPage, resultPageOf } from './page.ts'

/** The number of rows on a page, without the featured row in front of them. */
export const PAGE = 24

type ReadPage = (index: number) => Promise<ResultPage>

/**
 * The reader of a place's results, by index. A page beyond the last one has no rows, whatever the site shows there.
 *
 * The JSON is behind the same wall as the page, and the site asks robots not to read it. It is asked only when the page
 * is not what it used to be.
 */
export function resultsOf(context: Context, place: Place): ReadPage {
  let wall: SourceError | undefined
  const readHtml = async (index: number): Promise<ResultPage> => {
    const reply = await context.fetch('/property-for-sale/find.html', {
      query: queryOf(place, index),
      as: 'document',
      headers: LANGUAGE,
      errors: RESULT_PAGE,
    })
    return resultPageOf(context, await reply.text())
  }
  const readJson = async (index: number): Promise<ResultPage> => {
    const reply = await context.fetch('/api/property-search/listing/search', {
      query: queryOf(place, index),
      as: 'fetch',
      headers: { ...LANGUAGE, accept: 'application/json' },
      errors: OWN_ADDRESS,
    })
    return pageOfModel(context, await reply.json({ blocked: blockOf }))
  }
  return routes(
    context,
    [
      {
        name: 'page',
        async read(index) {
          try {
            return await readWithin(readHtml, index)
          } catch (error) {
            wall = error instanceof SourceError && error.code !== 'source-changed' ? error : undefined
            throw error
          }
        },
      },
      {
        name: 'json',
        async read(index) {
          if (wall) throw wall
          return readWithin(readJson, index)
        },
      },
    ],
    { later: 'any', end: (refusals) => wall ?? refusalOf(refusals) },
  )
}

/** The query as the site's own addresses have it. Both routes take the same, so their pages are the same. */
const queryOf = ({ identifier, name }: Place, index: number) => ({
  searchLocation: name ?? '',
  useLocationIdentifier: true,
  locationIdentifier: identifier,
  radius: '0.0',
  _includeSSTC: 'on',
  index,
  sortType: 2,
  channel: 'BUY',
  transactionType: 'BUY',
})

/** The page at an index, without rows when the index is beyond the last page. */
async function readWithin(read: ReadPage, index: number): Promise<ResultPage> {
  try {
    const page = await read(index)
    return isBeyond(page, index) ? beyond(page, index) : complete(page, index)
  } catch (error) {
    const isRefused =
      error instanceof SourceError && (error.code === 'not-found' || error.code === 'source-changed')
    if (!isRefused || index === 0) throw error
    // It is unknown how the site answers beyond its last page. The first page tells whether the index is beyond it.
    const first = await read(0)
    if (isBeyond(first, index)) return beyond(first, index)
    throw error
  }
}

const isBeyond = ({ last }: ResultPage, index: number): boolean => last !== null && index > last

const beyond = (page: ResultPage, index: number): ResultPage => ({
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
