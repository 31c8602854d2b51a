/**
 * The site's look-up, which maps a text to a region or a home. Many clients are refused.
 *
 * @module
 */
import {
  at,
  Blocked,
  type Context,
  idOrNull,
  listAt,
  NotFound,
  SourceChanged,
  textOrNull,
} from 'gleaner/plugin'
import { askApi, payloadOf } from '../answer.ts'
import { isAddress, sameAddress } from './address.ts'
import { type Place, type PlaceKind, readPath, tooBroad } from './place.ts'

/** What works without the look-up, for the message of its refusal. */
export const WITHOUT_LOOK_UP = 'a ZIP code, or a city with its state ("Austin, TX"), needs no look-up'

const TYPES: Readonly<Record<string, PlaceKind>> = {
  '1': 'address',
  '2': 'city',
  '4': 'zip_code',
  '11': 'state',
}

/**
 * The place that a query names: the exact match of the look-up, otherwise the first row that is a region or the
 * requested home. It is asked once: more requests would only prolong a refusal.
 *
 * @throws {BadInput} for a state
 * @throws {NotFound} when the look-up has no such place
 * @throws {Blocked} when the look-up is refused, with what works without it
 */
export async function lookUp(context: Context, query: string): Promise<Place> {
  const rows = rowsOf(await payloadFor(context, query))
  let neighbour = false
  for (const row of rows) {
    const kind = kindOf(row)
    // If the requested house is not found, do not search its whole town instead.
    if (kind === undefined || (kind !== 'address' && neighbour && isAddress(query))) continue
    if (kind === 'state') throw tooBroad()
    const place = placeOf(row, kind)
    if (place === undefined) continue
    if (kind !== 'address' || sameAddress(query, textOrNull(at(row, 'name')) ?? '')) return place
    neighbour = true
  }
  throw new NotFound(neighbour ? 'the site has no home at this address' : 'the site has no such place')
}

async function payloadFor(context: Context, location: string): Promise<unknown> {
  const query = { location, v: 2, al: 1 }
  try {
    return payloadOf(await askApi(context, '/stingray/do/location-autocomplete', query, false))
  } catch (error) {
    throw error instanceof Blocked ? new Blocked(`${error.message}; ${WITHOUT_LOOK_UP}`) : error
  }
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

/** The kind of a row. Its path is more reliable than its type. */
const kindOf = (row: unknown): PlaceKind | undefined =>
  readPath(pathOf(row) ?? '')?.kind ?? TYPES[typeOf(row) ?? '']

/** The place of a row. Undefined for a row without a number, with which the site would search all its homes. */
function placeOf(row: unknown, kind: Place['kind']): Place | undefined {
  const path = pathOf(row)
  const id = /^\d+_(\d+)$/.exec(idOrNull(at(row, 'id')) ?? '')?.[1] ?? readPath(path ?? '')?.id
  if (id === undefined || Number(id) === 0) return undefined
  const names = [textOrNull(at(row, 'name')), textOrNull(at(row, 'subName'))].filter((name) => name !== null)
  return { kind, id, path, name: names.length > 0 ? names.join(', ') : null }
}

const typeOf = (row: unknown): string | null => idOrNull(at(row, 'type'))

const pathOf = (row: unknown): string | null => {
  const url = textOrNull(at(row, 'url'))
  return url !== null && /^\/[^/\\]/.test(url) ? url : null
}
