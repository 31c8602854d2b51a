/** How numbers and amounts of money are written. */
import { describe, expect, test } from 'bun:test'
import { amountText, areWhole, currencyOf, isAmount } from '../../../../src/console/account/items/amounts.ts'
import { fieldList } from '../../../../src/console/account/items/fields.ts'
import { decimalsOf, numberText } from '../../../../src/console/account/items/numbers.ts'

describe('a number', () => {
  test.each([
    ['view_count', 1_600_000, '1,600,000'],
    ['count', 0, '0'],
    ['count', -0, '0'],
    ['a', -1234.5, '−1,234.5'],
    ['a', 0.1 + 0.2, '0.3'],
    ['latitude', -122.764321, '−122.764321'],
    ['a', 123_456_789_012_345, '123,456,789,012,345'],
    ['a', 1e15, '1e+15'],
    ['a', -1.5e300, '−1.5e+300'],
    ['a', 0.000_001, '0.000001'],
    ['a', 1e-12, '1e-12'],
    ['feedback_reputation', 0.98, '0.98'],
    ['year', 1987, '1987'],
    ['year_built', 1987, '1987'],
    ['built_year', 2026, '2026'],
    ['modelYear', 2026, '2026'],
    ['km_per_year', 1987, '1,987'],
    ['year_total', 12_500, '12,500'],
    ['years', 1500, '1,500'],
    ['pageid', 22_718, '22718'],
    ['userId', 22_718, '22718'],
    ['mls_number', 410_001, '410001'],
    ['number_of_rooms', 1000, '1,000'],
    ['phone', 441_539_000_001, '441539000001'],
    ['postal_code', 98_368, '98368'],
    ['isbn', 9_783_161_484_100, '9783161484100'],
  ] as const)('%s: %d is %s', (name, value, text) => {
    expect(numberText(name, value)).toBe(text)
  })
  test('has at least the decimals of its column', () => {
    expect(numberText('score', 5, 1)).toBe('5.0')
    expect(numberText('score', 5.25, 1)).toBe('5.25')
  })
  test.each([
    [[4.5, 5], 1],
    [[1.25, 1], 2],
    [[24, 18], 0],
    [[54.43251, 1], 0],
    [[], 0],
    [[1e300, 1e-7], 0],
  ] as const)('the numbers of a column: %p have %d decimals', (numbers, decimals) => {
    expect(decimalsOf(numbers)).toBe(decimals)
  })
})

describe('an amount', () => {
  test.each([
    ['price', true],
    ['total_price', true],
    ['totalPrice', true],
    ['service_fee', true],
    ['amount', true],
    ['total', true],
    ['prices', true],
    ['price_min', true],
    ['price_per_sqft', true],
    ['hoa_monthly', true],
    ['monthly_rent', true],
    ['price_display', true],
    ['total_results', false],
    ['price_count', false],
    ['price_percent', false],
    ['price_id', false],
    ['amount_of_rooms', false],
    ['discount', false],
    ['score', false],
    ['parent', false],
    [`price${'_per_a'.repeat(5000)}1`, false],
  ])('%s: %p', (name, expected) => {
    expect(isAmount(name)).toBe(expected)
  })
  test.each([
    [{ price: 1, currency: 'GBP' }, 'GBP'],
    [{ price: 1, currency: 'gbp' }, 'GBP'],
    [{ price: 1, currency_code: 'EUR' }, 'EUR'],
    [{ price: 1, price_currency: 'EUR', currency: 'GBP' }, 'EUR'],
    [{ price: 1, currency: '£' }, undefined],
    [{ price: 1, currency: null }, undefined],
    [{ price: 1 }, undefined],
  ])('is in the currency beside it: %p', (owner, currency) => {
    expect(currencyOf(owner, 'price')).toBe(currency)
  })
  test.each([
    [24, 'GBP', '£24.00'],
    [1.9, 'GBP', '£1.90'],
    [1234.5, 'EUR', '€1,234.50'],
    [0.0125, 'USD', '$0.0125'],
    [-7, 'EUR', '−€7.00'],
    [1200, 'JPY', '¥1,200'],
    [7.5, 'CHF', 'CHF\u00a07.50'],
    [7.5, 'QQQ', 'QQQ\u00a07.50'],
    [1e20, 'EUR', '1e+20 EUR'],
  ])('%d %s is written %s', (value, currency, text) => {
    expect(amountText(value, currency, false)).toBe(text)
  })
  test('has no decimals where all amounts are whole and one is large', () => {
    expect(areWhole([{ price: 585_000, currency: 'USD', bathrooms: 2.5 }])).toBe(true)
    expect(areWhole([{ price: 24, currency: 'GBP' }])).toBe(false)
    expect(areWhole([{ price: 1500, fee: 1.5, currency: 'GBP' }])).toBe(false)
    expect(areWhole([{ price: 1500 }])).toBe(false)
    expect(amountText(585_000, 'USD', true)).toBe('$585,000')
  })
  test('has its currency on the page of the item, also in a nested object', () => {
    const item = { price: 24, fee: 1.9, currency: 'GBP', deal: { price: 9, currency: 'EUR' }, stars: 4 }
    const text = fieldList(item).text.replaceAll(/<[^>]+>/g, ' ')
    for (const amount of ['£24.00', '£1.90', '€9.00']) expect(text).toContain(amount)
    expect(text).toContain(' 4 ')
  })
})
