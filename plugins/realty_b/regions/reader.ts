/**
 * Reads the homes of a region page by page: from its public page, or where that is refused, from the site's JSON or CSV.
 *
 * @module
 */
import { type Context, NotFound, readRows, routes, SourceChanged, type SourceError } from 'gleaner/plugin'
import { askApi, payloadOf } from '../answer.ts'
import { csvHomesOf } from '../homes/csv-homes.ts'
import { type HomeItem, homeOf } from '../homes/home.ts'
import { lookUp } from '../places/look-up.ts'
import { readListPage } from './list-page.ts'
import { type HomesPage, ownHomes, PAGE, REGION_TYPES, type Region, rowsIn } from './region.ts'

/** The most homes that the CSV has. It has no second page. */
const CSV_HOMES = 350

/**
 * Creates a reader of a region's pages. All ways cut the homes into pages of the same size, so that a page number means
 * the same to each of them.
 *
 * @returns a function that reads the page with a number, from 1
 * @throws {SourceError} when no way is left: what the JSON says, if it was not refused, otherwise the first refusal
 */
export function regionReader(context: Context, region: Region): (page: number) => Promise<HomesPage> {
  let { id } = region
  let lookedUp: Promise<string> | undefined
  let size = PAGE
  let csv: readonly HomeItem[] | undefined
  let answer: SourceError | undefined

  /** The number of the region. The look-up knows that of a ZIP code whose page is refused. */
  async function idOf(): Promise<string> {
    if (id === null) lookedUp ??= lookUpZip(context, region)
    return id ?? (await lookedUp!)
  }

  async function page(number: number): Promise<HomesPage> {
    const missing = region.kind === 'zip_code' ? NotFound : SourceChanged
    const read = await readListPage(context, region, number, missing)
    ;({ id, size } = read)
    return read
  }

  async function json(number: number): Promise<HomesPage> {
    const query = parameters(region, await idOf(), size, number)
    const body = await askApi(context, '/stingray/api/gis', query)
    try {
      const rows = rowsIn(payloadOf(body))
      const homes = readRows(context, rows, (row) => homeOf(row, context.origin))
      return { homes: ownHomes(homes, region), more: rows.length >= size, id: query.region_id, size }
    } catch (error) {
      if (error instanceof SourceChanged) answer = error
      throw error
    }
  }

  /** Reads the CSV once, since it has no second page, and cuts it. */
  async function csvPage(number: number): Promise<HomesPage> {
    const query = parameters(region, await idOf(), CSV_HOMES, 1)
    csv ??= csvHomesOf(context, await askApi(context, '/stingray/api/gis-csv', query))
    const homes = csv.slice(size * (number - 1), size * number)
    return { homes: ownHomes(homes, region), more: csv.length > size * number, id: query.region_id, size }
  }

  return routes(
    context,
    [
      // Pages of one kind may be wrong or refused where those of another are not.
      { name: `${region.kind}-page`, usable: region.path !== null, read: page },
      { name: 'json', read: json },
      { name: 'csv', read: csvPage },
    ],
    { later: 'any', end: ([first]) => answer ?? first! },
  )
}

async function lookUpZip(context: Context, { name }: Region): Promise<string> {
  const { kind, id } = await lookUp(context, name ?? '')
  if (kind !== 'zip_code' || id === null) throw new SourceChanged('the look-up has another place')
  return id
}

const parameters = ({ kind }: Region, id: string, homes: number, page: number) => ({
  // Without it the site refuses the request.
  al: 1,
  region_id: id,
  // With another type the site returns homes of another place.
  region_type: REGION_TYPES[kind],
  num_homes: homes,
  page_number: page,
  start: homes * (page - 1),
  ord: 'redfin-recommended-asc',
  sf: '1,2,3,5,6,7',
  // on the market
  status: 9,
  uipt: '1,2,3,4,5,6,7,8',
  v: 8,
})
