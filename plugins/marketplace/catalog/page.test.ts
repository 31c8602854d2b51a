/** The list in the catalogue page. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { API, catalogPage, entry, GATEWAY, PAGE, queriesOf, run, streamPage } from '../fixtures/sample.ts'
import { search } from './search.ts'

const full = (from: number) => Array.from({ length: 96 }, (_, i) => entry(from + i))

/** Reads catalogue pages, with both addresses of the service gone. */
function read(pages: readonly string[], most = pages.length) {
  const refusals = [GATEWAY, API].map((request) => ({ request, status: 404, body: '' }))
  const answers = pages.map((body, i) => ({ request: `${PAGE}?page=${i + 1}`, body }))
  return run(search, { query: 'lamp', pages: most }, [...refusals, ...answers])
}
const idsOf = async (body: string) => (await read([body])).items.map(({ id }) => id)

describe('the list is found', () => {
  test.each([1, 2, 3, 17, 100_000])(
    'in a stream that is pushed in pieces of %p characters',
    async (length) => {
      const odd = { id: 2, productItem: { id: 2, title: 'A "lamp" \\ </script> 🪔 ]}' } }
      const { items, error } = await read([catalogPage([entry(1), odd], undefined, length)])
      expect(error).toBeNull()
      expect(items.map(({ id, title }) => [id, title])).toEqual([
        ['1', 'Lamp 1'],
        ['2', 'A "lamp" \\ </script> 🪔 ]}'],
      ])
    },
  )

  test('among other scripts, and in scripts with attributes', async () => {
    const page = catalogPage([entry(1)])
      .replaceAll('<script>self', '<script nonce="x">self')
      .replace('<body>', '<body><script src="/x.js"></script><script>self.__next_f.push([2,"x"])</script>')
    expect(await idsOf(page)).toEqual(['1'])
  })

  test('without the entries that are promotions', async () => {
    expect(await idsOf(catalogPage([entry(1), { id: 99, promotion: { id: 99 } }, entry(2)]))).toEqual([
      '1',
      '2',
    ])
  })

  test('although a title looks like the counts of the list', async () => {
    const odd = { id: 1, productItem: { id: 1, title: '"pagination":{"totalPages":0}' } }
    const { rest } = await read([catalogPage([odd], { totalPages: 3, totalEntries: 200 })])
    expect(rest).toMatchObject({ total_pages: 3, total_entries: 200 })
  })
})

describe('the pages end', () => {
  test.each([
    ['camel case', { currentPage: 1, totalPages: 2, totalEntries: 97 }],
    ['snake case', { current_page: 1, total_pages: 2, total_entries: 97 }],
  ])('with the last one by a count in %s', async (_, counts) => {
    const { items, rest, error } = await read(
      [catalogPage([entry(1)], counts), catalogPage([entry(2)], counts)],
      9,
    )
    expect([error, items.length]).toEqual([null, 2])
    expect(rest).toEqual({ next_cursor: null, total_entries: 97, total_pages: 2 })
  })

  test.each<[string, string]>([
    ['with a page of fewer than 96 entries', catalogPage([entry(97)])],
    ['with a page without new items', catalogPage(full(1))],
    ['with an empty page', catalogPage([])],
  ])('%s, if there is no count', async (_, second) => {
    const { rest, error, requests } = await read([catalogPage(full(1)), second], 9)
    expect([error, rest.total_pages]).toEqual([null, null])
    expect(queriesOf(requests).filter(([path]) => path === PAGE).length).toBe(2)
  })

  test('not with a full page of which some entries are promotions', async () => {
    const first = [...full(1).slice(1), { id: 99, promotion: {} }]
    const { items } = await read([catalogPage(first), catalogPage([entry(200)])], 9)
    expect(items.length).toBe(96)
  })
})

test('a search without results is a success if the page says so', async () => {
  const { items, error } = await read([catalogPage([], { totalPages: 0, totalEntries: 0 })])
  expect([items, error]).toEqual([[], null])
})

test.each<[string, string, SourceErrorCode]>([
  ['no stream', '<title>robot captcha | Vinted</title>', 'source-changed'],
  [
    'scripts of block vendors and no list',
    '<title>Lamps</title><script src="https://js.datadome.co/tags.js"></script><script>"/cdn-cgi/challenge-platform/x"</script>',
    'source-changed',
  ],
  ['a stream without a list', streamPage('1:{"items":[]}'), 'source-changed'],
  ['a reference in place of the list', streamPage('1:{"items":{"items":"$12"}}'), 'source-changed'],
  ['a list that breaks off', streamPage('1:{"items":{"items":[{"id":1,"productItem":{'), 'source-changed'],
  ['entries without products', catalogPage([{ id: 1, tile: {} }]), 'source-changed'],
  ['products without ids', catalogPage([{ id: 1, productItem: { title: 'x' } }]), 'source-changed'],
  ['an empty list without a count', catalogPage([]), 'source-changed'],
  ['an empty list with a count', catalogPage([], { totalEntries: 7 }), 'source-changed'],
  [
    'nested lists, 100,000 deep',
    streamPage(`"items":{"items":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, 1e6),
    'source-changed',
  ],
  ['a challenge', '<title>Client Challenge</title>', 'source-blocked'],
  ['a challenge of Cloudflare', '<title>Just a moment...</title>', 'source-blocked'],
  ['a captcha', '<script src="https://ct.captcha-delivery.com/c.js"></script>', 'source-blocked'],
])('a page with %s is an error', async (_, body, code) => {
  const { items, error } = await read([body])
  expect([items.length, error?.code]).toEqual([0, code])
})

test('a page of seven megabytes is read', async () => {
  const page = catalogPage(full(1), { totalPages: 1, totalEntries: 96 }, 50_000)
  const longPage = page.replace(
    '</body>',
    `<script>self.__next_f.push([1,"${'x'.repeat(7e6)}"])</script></body>`,
  )
  expect((await idsOf(longPage)).length).toBe(96)
})
