/**
 * Numbers as people write them. What a field is called decides whether its number counts something, or names a thing.
 *
 * @module
 */

/** Whether a field names a thing for machines: people skip it. */
export const isId = (name: string): boolean =>
  /(?:^|[_-])(?:ids?|uuid|guid|pk)$|[a-z]Ids?$|^pageid$/i.test(name)

/** Fields whose numbers name a thing or a moment: thousands separators would make them unreadable. */
const NAMES_A_THING =
  /(?:^|_)(?:number|no|code|zip|zipcode|postcode|phone|telephone|mobile|fax|isbn|ean|upc|gtin|sku|barcode|port|timestamp|epoch|utc)$/i
const YEAR = /(?:^|_)year(?:_|$)|[a-z]Year$/i
const IN_A_YEAR = /(?:^|_)(?:per|a|each)_year$/i

const hasSeparators = (name: string, value: number): boolean => {
  if (isId(name) || NAMES_A_THING.test(name)) return false
  const isYear = Number.isInteger(value) && value >= 1000 && value < 3000
  return !(isYear && YEAR.test(name) && !IN_A_YEAR.test(name))
}

/** The most decimals that numbers of a column are filled up to. */
const MOST_DECIMALS = 3
/** Numbers from here on are written with an exponent, and so are the smallest fractions. */
export const LARGEST = 1e15
const SMALLEST = 1e-6

/** The decimals that all numbers of a column are written with; 0 if some have too many. */
export function decimalsOf(numbers: readonly number[]): number {
  const most = Math.max(0, ...numbers.map((value) => String(value).split('.')[1]?.length ?? 0))
  return most > MOST_DECIMALS ? 0 : most
}

const formats = Array.from(
  { length: MOST_DECIMALS + 1 },
  (_, decimals) =>
    new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: 10 }),
)

/**
 * A number with separators, unless its field names a thing or a year.
 *
 * @param decimals at least so many, up to 3
 */
export function numberText(name: string, value: number, decimals = 0): string {
  if (!hasSeparators(name, value)) return withMinus(String(value))
  const size = Math.abs(value)
  const isExtreme = size >= LARGEST || (size > 0 && size < SMALLEST)
  if (isExtreme) return withMinus(String(value === Math.round(value) ? value.toExponential() : value))
  return withMinus(formats[Math.min(decimals, MOST_DECIMALS)]!.format(value))
}

/** Puts the minus sign of print in front of a negative number; zero has none. */
export const withMinus = (text: string): string =>
  /^-[^1-9]*$/.test(text) ? text.slice(1) : text.replace(/^-/, '−')
