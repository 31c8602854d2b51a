/**
 * Amounts of money: numbers whose field says so, beside a currency in the same object.
 *
 * @module
 */
import { LARGEST, numberText, withMinus } from './numbers.ts'

type Fields = Readonly<Record<string, unknown>>

const AMOUNT =
  /(?:^|_)(?:price|amount|fee|cost|total|subtotal|rent|deposit|salary|budget|dues|hoa)s?(?:_(?:min|max|from|to|display|value|net|gross|daily|weekly|monthly|yearly))*(?:_per_[a-z_]+)?$/
/** Fields of a currency that any amount of an object is in. */
const OF_ALL = ['currency', 'currency_code', 'currencyCode']
/** Longer names are none that people gave to amounts. */
const LONGEST_NAME = 60
/** Prices of parts have up to this number of decimals. */
const MOST_DECIMALS = 4
/** Where all amounts are whole and one is as large as this, nobody writes decimals. */
const LARGE = 1000

/** Whether the number of a field is an amount, provided that a currency stands beside it. */
export const isAmount = (name: string): boolean =>
  name.length <= LONGEST_NAME && AMOUNT.test(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase())

/** The ISO 4217 code of the currency that a number of an object is in; undefined if the number is no amount. */
export function currencyOf(owner: object, name: string): string | undefined {
  if (!isAmount(name)) return undefined
  const own = owner as Fields
  for (const field of [`${name}_currency`, ...OF_ALL]) {
    const code = Object.hasOwn(own, field) ? own[field] : undefined
    if (typeof code === 'string' && /^[a-z]{3}$/i.test(code)) return code.toUpperCase()
  }
  return undefined
}

/** Whether the amounts of objects that are shown together are written without decimals. */
export function areWhole(owners: readonly object[]): boolean {
  let isLarge = false
  for (const owner of owners) {
    for (const [name, value] of Object.entries(owner)) {
      if (typeof value !== 'number' || currencyOf(owner, name) === undefined) continue
      if (!Number.isInteger(value)) return false
      isLarge ||= Math.abs(value) >= LARGE
    }
  }
  return isLarge
}

/** The decimals of a currency: 2 for most, 0 for yen. */
export const decimalsIn = (currency: string): number =>
  formatOf(currency, false).resolvedOptions().minimumFractionDigits ?? 0

/** An amount with its currency: `£24.00`, `CHF 7.50`. @param isWhole without decimals; see {@link areWhole} */
export const amountText = (value: number, currency: string, isWhole: boolean): string =>
  Math.abs(value) < LARGEST
    ? withMinus(formatOf(currency, isWhole).format(value))
    : `${numberText('', value)} ${currency}`

/** Formats are slow to create. Sources decide which currencies there are, so the number of formats is limited. */
const formats = new Map<string, Intl.NumberFormat>()
const MOST_FORMATS = 100

function formatOf(currency: string, isWhole: boolean): Intl.NumberFormat {
  const key = `${currency}${isWhole}`
  const known = formats.get(key)
  if (known) return known
  const usual = new Intl.NumberFormat('en', { style: 'currency', currency })
  const decimals = isWhole ? 0 : (usual.resolvedOptions().minimumFractionDigits ?? 0)
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: Math.max(decimals, MOST_DECIMALS),
  })
  if (formats.size >= MOST_FORMATS) formats.clear()
  formats.set(key, format)
  return format
}
