/**
 * Places: regions and single homes, and the pages of the site that show them.
 *
 * @module
 */
import { BadInput } from 'gleaner/plugin'

export const PLACE_KINDS = ['city', 'zip_code', 'neighborhood', 'county', 'address'] as const

/** The place that a query names. */
export type Place = {
  readonly kind: (typeof PLACE_KINDS)[number]
  /** the number of a region or home; null until a page of its ZIP code was read */
  readonly id: string | null
  readonly name: string | null
  /** the path of its page */
  readonly path: string | null
}

export type PlaceKind = Place['kind'] | 'state'

/** The error for a state, which is too large for the site's search. */
export const tooBroad = (): BadInput =>
  new BadInput(
    'a state is too broad: name a city with its state, a county, neighborhood, ZIP code or address',
  )

/** Kinds of places by their paths, whose first group is the number. `parts`: how many parts the path of a region has. */
const PATHS: readonly { readonly path: RegExp; readonly kind: PlaceKind; readonly parts?: number }[] = [
  { path: /^\/city\/(\d+)/, kind: 'city', parts: 4 },
  { path: /^\/zipcode\//, kind: 'zip_code', parts: 2 },
  { path: /^\/neighborhood\/(\d+)/, kind: 'neighborhood', parts: 5 },
  { path: /^\/county\/(\d+)/, kind: 'county', parts: 4 },
  { path: /^\/state\//, kind: 'state' },
  { path: /\/home\/(\d+)\/?$/, kind: 'address' },
]

/** The kind of a path of the site, and the number in it. */
export function readPath(path: string): { kind: PlaceKind; id: string | undefined } | undefined {
  const match = PATHS.find((one) => one.path.test(path))
  return match && { kind: match.kind, id: match.path.exec(path)?.[1] }
}

/** The ZIP code in a path; undefined for the path of another place. */
export const zipIn = (path: string | null): string | undefined => /^\/zipcode\/(\d{5})/.exec(path ?? '')?.[1]

/** The place for a ZIP code. Its number is not the ZIP code: it stands in its page. */
export const zipCode = (zip: string): Place & { readonly kind: 'zip_code' } => ({
  kind: 'zip_code',
  id: null,
  name: zip,
  path: `/zipcode/${zip}`,
})

/**
 * The place of an address or a path of the site, without filters and page numbers.
 *
 * @returns undefined for any other query
 * @throws {BadInput} for the page of a state
 */
export function placeOfAddress(query: string): Place | undefined {
  const own = /^(?:(?:https?:\/\/)?(?:www\.)?redfin\.(?:com|ca))?(\/(?![/\\]).*)$/i.exec(query.trim())?.[1]
  if (own === undefined) return undefined
  const { pathname } = new URL(own, 'https://www.redfin.com')
  const parts = pathname.split('/').slice(1)
  const match = PATHS.find((one) => one.path.test(pathname))
  if (match?.kind === 'state') throw tooBroad()
  const id = match?.path.exec(pathname)?.[1]
  const zip = zipIn(pathname)
  if (zip !== undefined) return zipCode(zip)
  if (match === undefined || id === undefined) return undefined
  if (match.parts === undefined)
    return { kind: match.kind, id, name: null, path: pathname.replace(/\/$/, '') }
  const [, , state = '', ...names] = parts.slice(0, match.parts)
  const words = [...names.reverse().map(wordsOf), state.toUpperCase()].filter((word) => word !== '')
  return { kind: match.kind, id, name: words.join(', '), path: `/${parts.slice(0, match.parts).join('/')}` }
}

/** The words of a name in a path. */
export function wordsOf(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('-', ' ')
  } catch {
    return part.replaceAll('-', ' ')
  }
}
