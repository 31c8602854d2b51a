/**
 * Finds the place that a query names: a region or a single home.
 *
 * @module
 */
import {
  at,
  BadInput,
  type Context,
  idOrNull,
  listAt,
  NotFound,
  SourceChanged,
  textOrNull,
} from 'gleaner/plugin'
import { isAddress, sameAddress } from './address.ts'
import { ask, payloadOf } from './answer.ts'

export const PLACE_KINDS = ['city', 'zip_code', 'neighborhood', 'county', 'address'] as const

/** The place that a query names. */
export type Place = {
  readonly kind: (typeof PLACE_KINDS)[number]
  /** the number of a region or home */
  readonly id: string
  readonly name: string | null
  /** the path of its page */
  readonly path: string | null
}

type Kind = Place['kind'] | 'state'

/** Kinds by the path of a row's page, which is more reliable than the row's type. */
const PATHS: readonly (readonly [path: RegExp, kind: Kind])[] = [
  [/^\/city\/(\d+)/, 'city'],
  [/^\/zipcode\//, 'zip_code'],
  [/^\/neighborhood\/(\d+)/, 'neighborhood'],
  [/^\/county\/(\d+)/, 'county'],
  [/^\/state\//, 'state'],
  [/\/home\/(\d+)\/?$/, 'address'],
]

const TYPES: Readonly<Record<string, Kind>> = { '1': 'address', '2': 'city', '4': 'zip_code', '11': 'state' }

/**
 * The place that a query names: the exact match of the site's look-up, otherwise the first row that is a region or the
 * requested home.
 *
 * @throws {BadInput} for a state, which is too large for the site's search
 * @throws {NotFound} when the look-up has no such place
 */
export async function findPlace(context: Context, query: string): Promise<Place> {
  const body = await ask(context, '/stingray/do/location-autocomplete', { location: query, v: 2, al: 1 })
  const rows = rowsOf(payloadOf(body))
  let neighbour = false
  for (const row of rows) {
    const kind = kindOf(row)
    // If the requested house is not found, do not search its whole town instead.
    if (kind === undefined || (kind !== 'address' && neighbour && isAddress(query))) continue
    if (kind === 'state')
      throw new BadInput('a state is too broad: name a city, county, neighborhood, ZIP code or address')
    const place = placeOf(row, kind)
    if (place === undefined) continue
    if (kind !== 'address' || sameAddress(query, textOrNull(at(row, 'name')) ?? '')) return place
    neighbour = true
  }
  throw new NotFound(neighbour ? 'the site has no home at this address' : 'the site has no such place')
}

/** The rows of the look-up, the exact match first. A payload without exact match and sections means no matches. */
function rowsOf(payload: unknown): readonly unknown[] {
  const exact = at(payload, 'exactMatch') ?? undefined
  const sections = (at(payload, 'sections') ?? null) === null ? [] : listAt(payload, 'sections')
  const rows = sections.flatMap((section) => listAt(section, 'rows'))
  const all = exact === undefined ? rows : [exact, ...rows]
  if (all.length > 0 && all.every((row) => pathOf(row) === null && typeOf(row) === null))
    throw new SourceChanged('the rows of the look-up have neither url nor type')
  return all
}

function kindOf(row: unknown): Kind | undefined {
  const path = pathOf(row) ?? ''
  return PATHS.find(([pattern]) => pattern.test(path))?.[1] ?? TYPES[typeOf(row) ?? '']
}

/** The place of a row. Undefined for a row without a number, with which the site would search all its homes. */
function placeOf(row: unknown, kind: Place['kind']): Place | undefined {
  const path = pathOf(row)
  const known = /^\d+_(\d+)$/.exec(idOrNull(at(row, 'id')) ?? '')?.[1]
  const id = known ?? PATHS.find(([, one]) => one === kind)?.[0].exec(path ?? '')?.[1]
  if (id === undefined || Number(id) === 0) return undefined
  const names = [textOrNull(at(row, 'name')), textOrNull(at(row, 'subName'))].filter((name) => name !== null)
  return { kind, id, path, name: names.length > 0 ? names.join(', ') : null }
}

const typeOf = (row: unknown): string | null => idOrNull(at(row, 'type'))

const pathOf = (row: unknown): string | null => {
  const url = textOrNull(at(row, 'url'))
  return url !== null && /^\/[^/\\]/.test(url) ? url : null
}
