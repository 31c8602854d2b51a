/**
 * One page of the homes in a region, from the site's JSON or, when that is refused, from its CSV.
 *
 * @module
 */
import { type Context, listAt, SourceError } from 'gleaner/plugin'
import { ask, isRefusal, payloadOf } from './answer.ts'
import { csvHomesOf } from './csv-homes.ts'
import { type HomeItem, homeOf } from './home.ts'
import type { Place } from './place.ts'

/** Homes of a page: about as many as a page of the public site shows. */
export const PAGE = 40

/** How the site numbers the kinds of regions. */
const REGION_TYPES = { neighborhood: 1, zip_code: 2, county: 5, city: 6 } as const

export type Region = Place & { readonly kind: keyof typeof REGION_TYPES }

/** One page of a region. */
export type HomesPage = {
  readonly homes: readonly HomeItem[]
  /** a further page may have more: the site counts no total, and a short page is its last */
  readonly more: boolean
}

/**
 * Makes a reader of a region's pages. Once the JSON was refused, it stays with the CSV.
 *
 * @returns reads the page of a number from 1 on
 * @throws {SourceError} what the JSON was refused with, when the CSV can't be read either, or has no homes at its
 *   beginning: it leaves out what may not be downloaded, so that proves nothing
 */
export function regionReader(context: Context, region: Region): (page: number) => Promise<HomesPage> {
  let refusal: SourceError | undefined
  return async (page) => {
    if (refusal !== undefined) return await csvPage(context, region, page)
    try {
      return await jsonPage(context, region, page)
    } catch (error) {
      if (!isRefusal(error)) throw error
      context.log('the JSON search was refused, the CSV is read', { code: error.code })
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
  // On the market.
  status: 9,
  uipt: '1,2,3,4,5,6,7,8',
  v: 8,
})
