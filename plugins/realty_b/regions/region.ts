/**
 * Regions: their numbers at the site, and their pages of homes.
 *
 * @module
 */
import { at, listAt } from 'gleaner/plugin'
import type { HomeItem } from '../homes/home.ts'
import { type Place, zipIn } from '../places/place.ts'

/** The page size where no page says another one. It is about that of the public site. */
export const PAGE = 40

/** The site's numbers for the kinds of regions. */
export const REGION_TYPES = { neighborhood: 1, zip_code: 2, county: 5, city: 6 } as const

export type Region = Place & { readonly kind: keyof typeof REGION_TYPES }

/** One page of a region. */
export type HomesPage = {
  readonly homes: readonly HomeItem[]
  /** whether another page may follow: the site gives no total, but a short page is the last one */
  readonly more: boolean
  /** the number of the region */
  readonly id: string
  /** the page size */
  readonly size: number
}

/** The rows of a search. */
export function rowsIn(payload: unknown): readonly unknown[] {
  const name = (at(payload, 'homes') ?? undefined) === undefined ? 'originalHomes' : 'homes'
  return Array.isArray(at(payload, name)) ? listAt(payload, name) : listAt(payload, name, 'homes')
}

/** The homes of a region. The page of a ZIP code also lists nearby homes; the city of a home may be a suburb. */
export function ownHomes(homes: readonly HomeItem[], { path }: Region): readonly HomeItem[] {
  const zip = zipIn(path)
  if (zip === undefined) return homes
  return homes.filter(({ postal_code }) => postal_code === null || postal_code.startsWith(zip))
}
