/**
 * Homes from the CSV form of the region search, which has fewer fields, and leaves out what its listing service does
 * not allow to be downloaded.
 *
 * @module
 */
import { at, csvRecords, from, reader, SourceChanged, textOrNull } from 'gleaner/plugin'
import { refusalOf } from './answer.ts'
import { currencyOf, Home, type HomeItem } from './home.ts'
import { typeOfWords } from './property-type.ts'

/** How the names of columns begin, wherever they stand. */
const COLUMN =
  /^(?:ADDRESS|URL|CITY|STATE|STATUS|ZIP|LOCATION|LATITUDE|LONGITUDE|PRICE|BEDS|BATHS|SQUARE FEET|\$\/SQUARE FEET|LOT SIZE|YEAR BUILT|HOA|PROPERTY TYPE|DAYS ON MARKET|MLS#)/
/** Columns without which it is another file. */
const NEEDED = ['ADDRESS', 'PRICE', 'URL']

/** What a CSV answer holds. */
export type CsvHomes = {
  readonly homes: readonly HomeItem[]
  /** it has a line of words that some homes were left out */
  readonly incomplete: boolean
}

/**
 * Reads a CSV answer.
 *
 * @throws {Blocked} for a block page instead of it
 * @throws {SourceChanged} when a needed column is missing, or a row has no home
 */
export function csvHomesOf(body: string): CsvHomes {
  const [header = [], ...rows] = /^\s*</.test(body) || body.trim() === '' ? [] : csvRecords(body)
  const names = header.map((name) => COLUMN.exec(name.trim().toUpperCase())?.[0] ?? '')
  const missing = NEEDED.find((name) => !names.includes(name))
  if (missing !== undefined) throw refusalOf(body) ?? new SourceChanged(`the CSV has no column ${missing}`)
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''))
  const homes = filled.filter((row) => !isNotice(row))
  return {
    homes: homes.map((row) => ofRow(namedCells(names, row))),
    incomplete: homes.length < filled.length,
  }
}

/** A line of words, alone in its row. */
const isNotice = (row: readonly string[]): boolean => row.slice(1).every((cell) => cell.trim() === '')

/** By the beginnings of the columns' names. */
const ofRow = reader(Home, {
  property_id: from.required(
    from.text('URL', undefined, (url) => /\/home\/(\d+)\/?$/.exec(String(url))?.[1] ?? null),
    'a row of the CSV has no home',
  ),
  url: from.link('URL'),
  street_address: from.text('ADDRESS'),
  city: from.text('CITY'),
  state: from.text('STATE'),
  postal_code: from.text('ZIP'),
  country: from.text('ZIP', undefined, countryOf),
  neighborhood: from.text('LOCATION'),
  latitude: from.number('LATITUDE'),
  longitude: from.number('LONGITUDE'),
  price: from.number('PRICE'),
  currency: from.text('ZIP', undefined, (code) => currencyOf(countryOf(code))),
  bedrooms: from.integer('BEDS'),
  bathrooms: from.number('BATHS'),
  living_area_sqft: from.number('SQUARE FEET'),
  price_per_sqft: from.number('$/SQUARE FEET'),
  lot_size_sqft: from.number('LOT SIZE'),
  year_built: from.number('YEAR BUILT'),
  hoa_monthly: from.number('HOA'),
  property_type: from.value(Home.properties.property_type, (row) =>
    typeOfWords(textOrNull(at(row, 'PROPERTY TYPE'))),
  ),
  status: from.text('STATUS'),
  days_on_market: from.integer('DAYS ON MARKET'),
  mls_number: from.text('MLS#'),
})

/** Of columns of one name the first counts. */
const namedCells = (names: readonly string[], row: readonly string[]) =>
  Object.fromEntries(row.map((cell, i) => [names[i], cell]).reverse())

/** The file names no country; the two have codes of different forms. */
function countryOf(cell: unknown): string | null {
  const postalCode = textOrNull(cell)
  if (postalCode === null) return null
  if (/^\d{5}(?:-\d{4})?$/.test(postalCode)) return 'US'
  return /^[A-Z]\d[A-Z]/i.test(postalCode) ? 'CA' : null
}
