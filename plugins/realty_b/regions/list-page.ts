/**
 * Reads homes from the public page of a region, which embeds the response of the site's own search. The request of this
 * search says which region and page it is.
 *
 * @module
 */
import { type Context, type ErrorKind, integerOrNull, readRows, SourceChanged } from 'gleaner/plugin'
import { askPage, payloadOf } from '../answer.ts'
import { embeddedIn } from '../embedded.ts'
import { homeOf } from '../homes/home.ts'
import { readPath } from '../places/place.ts'
import { type HomesPage, ownHomes, PAGE, REGION_TYPES, type Region, rowsIn } from './region.ts'

/**
 * One page of a region that has a path.
 *
 * @param number from 1
 * @param missing the error when the site has no such page
 * @throws {SourceChanged} for a page of another region, and for a page without a search
 */
export async function readListPage(
  context: Context,
  region: Region,
  number: number,
  missing?: ErrorKind,
): Promise<HomesPage> {
  const path = number === 1 ? region.path! : `${region.path}/page-${number}`
  const answers = embeddedIn(await (await askPage(context, path, missing)).text())
  const search = answers.find(({ request }) => request.startsWith('/stingray/api/gis?'))
  if (search === undefined) throw new SourceChanged('the page embeds no search')
  const query = new URLSearchParams(search.request.slice(search.request.indexOf('?')))
  const id = checkedId(query, region)
  const rows = rowsIn(payloadOf(search.body, SourceChanged))
  const size = Math.max(0, integerOrNull(query.get('num_homes')) ?? 0) || PAGE
  // Behind the last page the site may show the first one again.
  if (number > 1 && (query.get('page_number') ?? String(number)) !== String(number))
    return { homes: [], more: false, id, size }
  const homes = readRows(context, rows, (row) => homeOf(row, context.origin))
  return { homes: ownHomes(homes, region), more: rows.length >= size, id, size }
}

/** The number of the region that a page searches. Pages of neighborhoods are known to search other regions. */
function checkedId(query: URLSearchParams, { kind, path }: Region): string {
  const [id, type] = [query.get('region_id') ?? '', query.get('region_type') ?? '']
  if (!/^[1-9]\d*$/.test(id)) throw new SourceChanged('the search of the page names no region')
  const expected = readPath(path ?? '')?.id ?? id
  if (id !== expected || type !== String(REGION_TYPES[kind]))
    throw new SourceChanged('the page searches another region')
  return id
}
