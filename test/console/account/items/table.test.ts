/** The items table: what its columns have in common, and its text for spreadsheets. */
import { describe, expect, test } from 'bun:test'
import { itemsTable } from '../../../../src/console/account/items/table.ts'
import { textOf } from '../../../../src/console/account/items/tsv.ts'

const numbered = (items: readonly Record<string, unknown>[]) =>
  items.map((item, n) => ({ number: n + 1, item }))
const table = (items: readonly Record<string, unknown>[], columns: readonly string[]): string =>
  itemsTable({
    items: numbered(items),
    columns,
    sort: undefined,
    path: '/run',
    query: '',
    mayShow: () => false,
    sortedBy: () => undefined,
  }).text
const cells = (text: string): string[] =>
  [...text.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, content]) => content!.replaceAll(/<[^>]+>/g, ''))

describe('a column of amounts', () => {
  test('names its currency in the head if there is one, and has two decimals', () => {
    const text = table(
      [{ price: 24, currency: 'GBP' }, { price: 18.5, currency: 'GBP' }, { price: null }],
      ['price'],
    )
    expect(text).toContain('title="price" class="number">Price, GBP</th>')
    expect(text).toContain('data-label="Price, GBP"')
    expect(cells(text)).toEqual(['24.00', '18.50', '–'])
  })
  test('has the currency of each amount if they differ or one has none', () => {
    const text = table(
      [{ price: 24, currency: 'GBP' }, { price: 18.5, currency: 'EUR' }, { price: 3 }],
      ['price'],
    )
    expect(text).toContain('title="price" class="number">Price</th>')
    expect(cells(text)).toEqual(['£24.00', '€18.50', '3.00'])
  })
  test('has two decimals or none without a currency too', () => {
    expect(cells(table([{ price: 24 }, { price: 18.5 }], ['price']))).toEqual(['24.00', '18.50'])
    expect(cells(table([{ price: 24 }, { price: 18 }], ['price']))).toEqual(['24', '18'])
  })
  test('has no decimals where amounts are whole and large', () => {
    expect(
      cells(
        table(
          [
            { price: 950, currency: 'USD' },
            { price: 585_000, currency: 'USD' },
          ],
          ['price'],
        ),
      ),
    ).toEqual(['950', '585,000'])
  })
})

test('a nested object is shown by its name, as text', () => {
  const text = table([{ seller: { id: '1', login: '<b>ann</b>' } }, { seller: { id: '2' } }], ['seller'])
  expect(cells(text)).toEqual(['&#60;b&#62;ann&#60;/b&#62;', '{id}'])
})

describe('the text for spreadsheets', () => {
  test('has whole values in one line an item, numbers as numbers', () => {
    const long = 'x'.repeat(500)
    const items = [
      { title: long, price: 1234.5, currency: 'GBP', tags: ['a', 'b'], seller: { login: 'ann' }, note: null },
      { title: 'two\nlines\t', price: -2, currency: 'GBP', tags: [{ a: 1 }], seller: null, note: true },
    ]
    expect(textOf(numbered(items), ['title', 'price', 'tags', 'seller', 'note'])).toBe(
      `Title\tPrice, GBP\tTags\tSeller\tNote\r\n${long}\t1234.5\ta, b\tann\t\r\n"two\nlines\t"\t-2\t"[{""a"":1}]"\t\ttrue\r\n`,
    )
  })
  test('has the currency in the cell where amounts have several', () => {
    const items = [
      { price: 24, currency: 'GBP' },
      { price: 18.5, currency: 'EUR' },
    ]
    expect(textOf(numbered(items), ['price'])).toBe('Price\r\n24 GBP\r\n18.5 EUR\r\n')
  })
  test('has no formulas, neither in cells nor in heads', () => {
    const items = [{ '=A1': '=HYPERLINK("x")', a: ['@SUM(1)', 'b'], b: { name: '+1' } }]
    expect(textOf(numbered(items), ['=A1', 'a', 'b'])).toBe(
      `'=A1\tA\tB\r\n"'=HYPERLINK(""x"")"\t'@SUM(1), b\t'+1\r\n`,
    )
  })
})
