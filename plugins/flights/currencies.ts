/**
 * Currencies by their English names, which the texts for screen readers use.
 *
 * @module
 */

/** @param name plural or singular: `Indian rupees`, `US dollars`. @returns the ISO 4217 code; null when unknown */
export const currencyOf = (name: string): string | null => codes().get(name.toLowerCase()) ?? null

let known: ReadonlyMap<string, string> | undefined

/** Some 300 currencies. Built when it is first needed. */
function codes(): ReadonlyMap<string, string> {
  known ??= new Map(
    Intl.supportedValuesOf('currency').flatMap((code) =>
      [1, 2].map((count) => [named(code, count), code] as const),
    ),
  )
  return known
}

/** The name of a currency for a count: `indian rupees` for 2. */
const named = (currency: string, count: number): string =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'name',
    maximumFractionDigits: 0,
  })
    .formatToParts(count)
    .filter(({ type }) => type === 'currency')
    .map(({ value }) => value.toLowerCase())
    .join('')
