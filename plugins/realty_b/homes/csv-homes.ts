/**
 * Reads homes from the CSV form of the region search. It has fewer fields, and omits homes that their listing service
 * does not allow to be downloaded.
 *
 * @module
 */
import {
  at,
  type Context,
  csvRecords,
  field,
  reader,
  readRows,
  SourceChanged,
  textOrNull,
} from 'gleaner/plugin'
import { refusalOf } from '../answer.ts'
import { currencyOf, Home, type HomeItem } from './home.ts'
import { typeOfWords } from './property-type.ts'

/** The starts of the column names. The order of columns does not matter. */
const COLUMN =
  /^(?:ADDRESS|URL|CITY|STATE|STATUS|ZIP|LOCATION|LATITUDE|LONGITUDE|PRICE|BEDS|BATHS|SQUARE FEET|\$\/SQUARE FEET|LOT SIZE|YEAR BUILT|HOA|PROPERTY TYPE|DAYS ON MARKET|MLS#)/
/** Columns that every CSV of homes has. */
const NEEDED = ['ADDRESS', 'PRICE', 'URL']

/**
 * The homes of a CSV response. Its notices, such as one that some homes were omitted, are skipped.
 *
 * @throws {Blocked} for a block page instead of CSV
 * @throws {SourceChanged} when a needed column is missing, and for a CSV without homes: it omits homes that may not be
 *   downloaded, so an empty one proves nothing
 */
export function csvHomesOf(context: Pick<Context, 'note'>, body: string): readonly HomeItem[] {
  const [header = [], ...rows] = /^\s*</.test(body) || body.trim() === '' ? [] : csvRecords(body)
  const names = header.map((name) => COLUMN.exec(name.trim().toUpperCase())?.[0] ?? '')
  const missing = NEEDED.find((name) => !names.includes(name))
  if (missing !== undefined) throw refusalOf(body) ?? new SourceChanged(`the CSV has no column ${missing}`)
  const homes = rows.filter((row) => !isNotice(row))
  if (homes.length === 0) throw new SourceChanged('the CSV has no homes')
  return readRows(context, homes, (row) => ofRow(namedCells(names, row)))
}

/** Whether a row is empty or a notice: a text without further cells. */
const isNotice = (row: readonly string[]): boolean => row.slice(1).every((cell) => cell.trim() === '')

/** Reads a row, keyed by the starts of the column names. */
const ofRow = reader(Home, {
  property_id: field.required(
    field.text('URL', undefined, (url) => /\/home\/(\d+)\/?$/.exec(String(url))?.[1] ?? null),
    'a row of the CSV has no home',
  ),
  url: field.link('URL'),
  street_address: field.text('ADDRESS'),
  city: field.text('CITY'),
  state: field.text('STATE'),
  postal_code: field.text('ZIP'),
  country: field.text('ZIP', undefined, countryOf),
  neighborhood: field.text('LOCATION'),
  latitude: field.number('LATITUDE'),
  longitude: field.number('LONGITUDE'),
  price: field.number('PRICE'),
  currency: field.text('ZIP', undefined, (code) => currencyOf(countryOf(code))),
  bedrooms: field.integer('BEDS'),
  bathrooms: field.number('BATHS'),
  living_area_sqft: field.number('SQUARE FEET'),
  price_per_sqft: field.number('$/SQUARE FEET'),
  lot_size_sqft: field.number('LOT SIZE'),
  year_built: field.number('YEAR BUILT'),
  hoa_monthly: field.number('HOA'),
  property_type: field.value(Home.properties.property_type, (row) =>
    typeOfWords(textOrNull(at(row, 'PROPERTY TYPE'))),
  ),
  status: field.text('STATUS'),
  days_on_market: field.integer('DAYS ON MARKET'),
  mls_number: field.text('MLS#'),
})

/** The cells of a row by column name. Of several columns with the same name, the first is used. */
const namedCells = (names: readonly string[], row: readonly string[]) =>
  Object.fromEntries(row.map((cell, i) => [names[i], cell]).reverse())

/**
 * The country of a postal code. The CSV names no country, but the two countries have postal codes of different forms.
 */
function countryOf(cell: unknown): string | null {
  const postalCode = textOrNull(cell)
  if (postalCode === null) return null
  if (/^\d{5}(?:-\d{4})?$/.test(postalCode)) return 'US'
  return /^[A-Z]\d[A-Z]/i.test(postalCode) ? 'CA' : null
}
