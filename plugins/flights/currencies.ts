/**
 * Currencies by their English names, as screen readers say them.
 *
 * @module
 */

/** @param name in the plural or the singular: `Indian rupees`, `US dollars`. @returns ISO 4217; null when unknown */
export const currencyOf = (name: string): string | null => codes().get(name.toLowerCase()) ?? null

let known: ReadonlyMap<string, string> | undefined

/** Made when it is first needed: some 300 currencies. */
function codes(): ReadonlyMap<string, string> {
  known ??= new Map(
    Intl.supportedValuesOf('currency').flatMap((code) =>
      [1, 2].map((count) => [named(code, count), code] as const),
    ),
  )
  return known
}

/** `2 Indian rupees` without its number. */
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
