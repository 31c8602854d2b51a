/**
 * Homes from the CSV form of the region search, which has fewer fields, and leaves out what its listing service does
 * not allow to be downloaded.
 *
 * @module
 */
import { integerOrNull, numberOrNull, SourceChanged, textOrNull } from 'gleaner/plugin'
import { refusalOf } from './answer.ts'
import { recordsOf } from './csv.ts'
import { currencyOf, type HomeItem } from './home.ts'
import { typeOfWords } from './property-type.ts'

/** Columns without which it is another file. */
const NEEDED = ['ADDRESS', 'PRICE', 'URL']

/** What a CSV answer holds. */
export type CsvHomes = {
  readonly homes: readonly HomeItem[]
  /** it has a line of words that some homes were left out */
  readonly incomplete: boolean
}

/**
 * Reads a CSV answer. Columns are found by how their names begin, wherever they stand.
 *
 * @throws {Blocked} for a block page instead of it
 * @throws {SourceChanged} when a needed column is missing, or a row has no home
 */
export function csvHomesOf(body: string): CsvHomes {
  const [header = [], ...rows] = /^\s*</.test(body) || body.trim() === '' ? [] : recordsOf(body)
  const names = header.map((name) => name.trim().toUpperCase())
  const missing = NEEDED.find((name) => !names.some((one) => one.startsWith(name)))
  if (missing !== undefined) throw refusalOf(body) ?? new SourceChanged(`the CSV has no column ${missing}`)
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''))
  const homes = filled.filter((row) => !isNotice(row))
  return { homes: homes.map((row) => homeOfRow(names, row)), incomplete: homes.length < filled.length }
}

/** A line of words, alone in its row. */
const isNotice = (row: readonly string[]): boolean => row.slice(1).every((cell) => cell.trim() === '')

function homeOfRow(names: readonly string[], row: readonly string[]): HomeItem {
  const cell = (name: string): string | null => {
    const column = names.findIndex((one) => one.startsWith(name))
    return column < 0 ? null : textOrNull(row[column])
  }
  const number = (name: string) => numberOrNull(cell(name))
  const url = cell('URL')
  const property_id = /\/home\/(\d+)\/?$/.exec(url ?? '')?.[1]
  if (property_id === undefined) throw new SourceChanged('a row of the CSV has no home')
  const postal_code = cell('ZIP')
  const country = countryOf(postal_code)
  return {
    property_id,
    listing_id: null,
    url: url !== null && /^https?:\/\//.test(url) ? url : null,
    street_address: cell('ADDRESS'),
    unit: null,
    city: cell('CITY'),
    state: cell('STATE'),
    postal_code,
    country,
    neighborhood: cell('LOCATION'),
    latitude: number('LATITUDE'),
    longitude: number('LONGITUDE'),
    price: number('PRICE'),
    currency: currencyOf(country),
    bedrooms: integerOrNull(cell('BEDS')),
    bathrooms: number('BATHS'),
    living_area_sqft: number('SQUARE FEET'),
    price_per_sqft: number('$/SQUARE FEET'),
    lot_size_sqft: number('LOT SIZE'),
    year_built: number('YEAR BUILT'),
    stories: null,
    hoa_monthly: number('HOA'),
    property_type: typeOfWords(cell('PROPERTY TYPE')),
    status: cell('STATUS'),
    days_on_market: integerOrNull(cell('DAYS ON MARKET')),
    time_on_site_ms: null,
    mls_number: cell('MLS#'),
    // Dates and times are local there, of no named zone.
    last_sold_at: null,
    description: null,
    listing_agent: null,
    listing_broker: null,
    open_house_start: null,
    open_house_end: null,
    is_new_construction: null,
    has_3d_tour: null,
    tags: [],
  }
}

/** The file names no country; the two have codes of different forms. */
function countryOf(postalCode: string | null): string | null {
  if (postalCode === null) return null
  if (/^\d{5}(?:-\d{4})?$/.test(postalCode)) return 'US'
  return /^[A-Z]\d[A-Z]/i.test(postalCode) ? 'CA' : null
}
