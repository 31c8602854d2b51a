import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { runTask } from 'gleaner/plugin/testing'
import { jsonAt, lookUp, model, page, pageAt, row, rows } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

const read = (body: string) =>
  runTask(
    search,
    { query: 'Fernshire' },
    // The JSON has changed too.
    { source, exchanges: [lookUp(), pageAt(0, body), jsonAt(0, { results: [] })] },
  )
const next = (pageProps: unknown) =>
  `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { pageProps } })}</script>`

test('the model is found in a page whatever its texts hold', async () => {
  const { items } = await read(page(model(0, 1, [row(1, { displayAddress: 'A "}" in </b>' })])))
  expect(items[0]?.address).toBe('A "}" in </b>')
})

test('the model is found by its other name', async () => {
  expect((await read(next({ searchResult: model(0, 1, [row(1)]) }))).items).toHaveLength(1)
})

test('a row without an id costs that row', async () => {
  const { items, skipped, error } = await read(page(model(0, 1, [...rows(1, 4), { bedrooms: 2 }])))
  expect([items.length, skipped, error]).toEqual([4, 1, null])
})

describe('a page without its list is an error, never zero items', () => {
  test.each<[string, string, SourceErrorCode]>([
    ['an empty page', '', 'source-blocked'],
    ['a blank page', ' \n ', 'source-blocked'],
    ['an access-denied page', '<html><title>Access Denied</title></html>', 'source-blocked'],
    ['a captcha', '<meta name="description" content="px-captcha"><p>Hold</p>', 'source-blocked'],
    ['a model of three pages without rows', page(model(0, 3, [])), 'source-blocked'],
    [
      'a page with only the sensor script',
      '<title>Homes</title><script>_pxAppId = 1</script>',
      'source-changed',
    ],
    ['another page', '<html><title>Rightmove</title></html>', 'source-changed'],
    ['a page of another kind', next({}), 'source-changed'],
    ['no properties of a page', next(null), 'source-changed'],
    ['a model without a list', page({ resultCount: '5' }), 'source-changed'],
    ['an object instead of the list', page({ properties: {} }), 'source-changed'],
    ['rows without id', page(model(0, 1, [{ bedrooms: 2 }, row(1)])), 'source-changed'],
    ['null as a row', page(model(0, 1, [null as never])), 'source-changed'],
    ['an id above 2^53', page(model(0, 1, [row(2 ** 60)])), 'source-changed'],
    ['broken JSON in the page', '<script id="__NEXT_DATA__">{"props": {"a": </script>', 'source-changed'],
    [
      'too many cards for the memory of a run',
      '<div data-testid="propertyCard-1"><a href="/properties/1">x</a></div>'.repeat(30_000),
      'source-changed',
    ],
    ['the JSON of a look-up', '{"matches":[]}', 'source-changed'],
  ])('%s', async (_, body, code) => {
    const { items, error } = await read(body)
    expect([items.length, error?.code]).toEqual([0, code])
  })
})
