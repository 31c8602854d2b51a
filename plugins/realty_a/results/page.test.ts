import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { runTask } from 'gleaner/plugin/testing'
import { lookUp, model, page, pageAt, row } from './fixtures/sample.ts'
import { search } from './search.ts'
import source from './source.ts'

const read = (body: string) =>
  runTask(search, { query: 'Fernshire' }, { source, exchanges: [lookUp(), pageAt(0, body)] })

describe('older and other forms of the page', () => {
  const result = model(0, 1, [row(1, { displayAddress: 'A "}" in </b>' })])
  test.each([
    ['window.jsonModel', `<script>var a = "{";window.jsonModel = ${JSON.stringify(result)};go()</script>`],
    ['the body of the JSON route', JSON.stringify(result)],
  ])('%s', async (_, body) => {
    const { items, rest } = await read(body)
    expect([items[0]?.address, rest.total_results]).toEqual(['A "}" in </b>', 1754])
  })
})

describe('a page without its list is an error, never zero items', () => {
  const next = (data: unknown) =>
    `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify(data)}</script>`
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
    ['a page of another kind', next({ props: { pageProps: {} } }), 'source-changed'],
    ['null', next(null), 'source-changed'],
    ['a model without a list', page({ resultCount: '5' }), 'source-changed'],
    ['an object instead of the list', page({ properties: {} }), 'source-changed'],
    ['a row without id', page(model(0, 1, [{ bedrooms: 2 }])), 'source-changed'],
    ['null as a row', page(model(0, 1, [null as never])), 'source-changed'],
    ['an id above 2^53', page(model(0, 1, [row(2 ** 60)])), 'source-changed'],
    ['broken JSON in the page', '<script id="__NEXT_DATA__">{"props": {"a": </script>', 'source-changed'],
    ['broken JSON', '{"properties":', 'source-changed'],
    ['JSON null', 'null', 'source-changed'],
    ['a JSON list', '[]', 'source-changed'],
    ['deeply nested JSON', '{"a":'.repeat(100_000) + '}'.repeat(100_000), 'source-changed'],
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
