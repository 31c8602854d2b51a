/**
 * Reads the homes of a region page by page, from the site's JSON or, if that is refused, from its CSV.
 *
 * @module
 */
import { type Context, listAt, SourceError } from 'gleaner/plugin'
import { ask, isRefusal, payloadOf } from './answer.ts'
import { csvHomesOf } from './csv-homes.ts'
import { type HomeItem, homeOf } from './home.ts'
import type { Place } from './place.ts'

/** The page size, which is about that of the public site. */
export const PAGE = 40

/** The site's numbers for the kinds of regions. */
const REGION_TYPES = { neighborhood: 1, zip_code: 2, county: 5, city: 6 } as const

export type Region = Place & { readonly kind: keyof typeof REGION_TYPES }

/** One page of a region. */
export type HomesPage = {
  readonly homes: readonly HomeItem[]
  /** whether another page may follow: the site gives no total, but a short page is the last one */
  readonly more: boolean
}

/**
 * Creates a reader of a region's pages. Once the JSON has been refused, it reads only the CSV.
 *
 * @returns a function that reads the page with a number, from 1
 * @throws {SourceError} the refusal of the JSON, when the first CSV that is read in its place fails too or has no
 *   homes: the CSV omits homes that may not be downloaded, so an empty one proves nothing
 */
export function regionReader(context: Context, region: Region): (page: number) => Promise<HomesPage> {
  let refusal: SourceError | undefined
  return async (page) => {
    if (refusal !== undefined) return await csvPage(context, region, page)
    try {
      return await jsonPage(context, region, page)
    } catch (error) {
      if (!isRefusal(error)) throw error
      context.log('the JSON search was refused; reading the CSV', { code: error.code })
      refusal = error
    }
    try {
      const answer = await csvPage(context, region, page)
      if (answer.homes.length > 0) return answer
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
    }
    throw refusal
  }
}

async function jsonPage(context: Context, region: Region, page: number): Promise<HomesPage> {
  const payload = payloadOf(await ask(context, '/stingray/api/gis', parameters(region, page)))
  const homes = listAt(payload, 'homes').map((row) => homeOf(row, context.origin))
  return { homes, more: homes.length >= PAGE }
}

async function csvPage(context: Context, region: Region, page: number): Promise<HomesPage> {
  const { homes, incomplete } = csvHomesOf(
    await ask(context, '/stingray/api/gis-csv', parameters(region, page)),
  )
  return { homes, more: homes.length >= PAGE || (incomplete && homes.length > 0) }
}

const parameters = ({ id, kind }: Region, page: number) => ({
  al: 1,
  region_id: id,
  region_type: REGION_TYPES[kind],
  num_homes: PAGE,
  page_number: page,
  start: PAGE * (page - 1),
  ord: 'redfin-recommended-asc',
  sf: '1,2,3,5,6,7',
  // on the market
  status: 9,
  uipt: '1,2,3,4,5,6,7,8',
  v: 8,
})
