/** The items of a run on its page: pages of them, columns, order, filter, and items that mean harm. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { to } from '../../house.ts'
import { columnsOf, type ItemsHouse, rowsOf, startItemsHouse, textOf } from './house.ts'

let items: ItemsHouse
beforeAll(async () => {
  items = await startItemsHouse()
})
afterAll(() => items.close())

const lamps = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: String(n),
    title: n % 2 === 0 ? `Desk lamp ${n}` : `Chair ${n}`,
    price: (n * 37) % 101,
    sold: n % 3 === 0,
    note: null,
    a: n,
    b: `b${n}`,
    c: `c${n}`,
    d: { e: n },
  }))

describe('pages of items', () => {
  test('have fifty rows each, say which these are, and lead to each other', async () => {
    const path = await items.run(lamps(120))
    const first = await items.ann.get(path)
    expect(rowsOf(first)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
    expect(textOf(first)).toContain('1–50 of 120 items')
    expect(first).toContain(`href="${path}?from=50#items">Next</a>`)
    const last = await items.ann.get(`${path}?from=100`)
    expect(rowsOf(last)).toEqual(Array.from({ length: 20 }, (_, n) => n + 101))
    expect(textOf(last)).toContain('101–120 of 120 items')
    expect(last).toContain(`href="${path}?from=50#items">Previous</a>`)
    expect(last).not.toContain('>Next</a>')
  })
  test('lead back to the page that one came from, also when pages end early at 2 MiB', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({ title: `${n}`, text: 'x'.repeat(300_000) }))
    const path = await items.run(rows)
    const link = (page: string, label: string) =>
      new RegExp(`href="([^"]*)#items">${label}</a>`).exec(page)?.[1]?.replaceAll('&#38;', '&')
    const pages = [await items.ann.get(path)]
    for (let next = link(pages[0]!, 'Next'); next; next = link(pages.at(-1)!, 'Next'))
      pages.push(await items.ann.get(next))
    expect(pages.flatMap(rowsOf)).toEqual(rows.map((_, n) => n + 1))
    expect(pages.length).toBeGreaterThan(3)
    const number = rowsOf(pages[1]!).at(-1)!
    const item = new RegExp(`href="([^"]*/items/${number}[^"]*)"`).exec(pages[1]!)![1]!
    const from = new RegExp(`href="([^"]*)#item-${number}"`).exec(
      await items.ann.get(item.replaceAll('&#38;', '&')),
    )![1]!
    expect(rowsOf(await items.ann.get(from.replaceAll('&#38;', '&')))).toEqual(rowsOf(pages[1]!))
    let back = pages.at(-1)!
    for (const page of pages.slice(0, -1).reverse()) {
      back = await items.ann.get(link(back, 'Previous')!)
      expect(rowsOf(back)).toEqual(rowsOf(page))
    }
  })
  test('beyond the end say so', async () => {
    const path = await items.run(lamps(3))
    const page = await items.ann.get(`${path}?from=500`)
    expect(textOf(page)).toContain('There are no items from number 501 on.')
  })
  test('have the columns of the first page, whatever their own items hold', async () => {
    const rows = Array.from({ length: 60 }, (_, n) => (n < 50 ? lamps(1)[0]! : { id: '1', other: 'x' }))
    const path = await items.run(rows)
    expect(columnsOf(await items.ann.get(`${path}?from=50`))).toEqual(columnsOf(await items.ann.get(path)))
  })
})

describe('columns', () => {
  test('are picked in a form without scripts, are in the address, and are remembered for the task', async () => {
    const path = await items.run(lamps(3))
    const viewer = await items.house.joins('viewer', 'Columns')
    const before = columnsOf(await viewer.get(path))
    const place = to(await viewer.post(`${path}/columns`, { columns: ['price', 'id'], sort: '-price' }))
    expect(place).toBe(`${path}?columns=price,id&sort=-price#items`)
    expect(columnsOf(await viewer.get(place))).toEqual(['price', 'id'])
    const another = await items.run(lamps(3))
    expect(columnsOf(await viewer.get(another))).toEqual(['price', 'id'])
    expect(columnsOf(await items.ann.get(another))).toEqual(before)
    expect(columnsOf(await viewer.get(`${another}?columns=*`))).toContain('note')
    to(await viewer.post(`${path}/columns`, { choice: 'reset', columns: ['price'] }))
    expect(columnsOf(await viewer.get(path))).toEqual(before)
  })
  test('with names that no address has room for are not picked, and nothing breaks', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `${'🦦'.repeat(40)}${n}`)
    const path = await items.run([Object.fromEntries(names.map((name) => [name, 1]))])
    const place = to(await items.ann.post(`${path}/columns`, { columns: names }))
    expect(place.length).toBeLessThan(4200)
    expect(await items.ann.get(place.split('#')[0]!)).toContain('items-table')
  })
  test('of the last eight tasks are remembered, in a cookie of bounded size', async () => {
    const { choiceCookie, chosenColumns } = await import('../../../../src/console/account/items/chosen.ts')
    let cookie = ''
    const request = () => new Request('http://x/', { headers: { cookie } })
    for (let n = 0; n < 10; n++)
      cookie = choiceCookie(request(), 'http://x', `t.${n}`, [`a${n}`, 'ö,"']).split(';')[0]!
    expect(chosenColumns(request(), 't.9')).toEqual(['a9', 'ö,"'])
    expect(chosenColumns(request(), 't.1')).toEqual([])
    expect(chosenColumns(request(), 't.2')).toEqual(['a2', 'ö,"'])
    for (let n = 0; n < 20; n++)
      cookie = choiceCookie(request(), 'http://x', `t.${n}`, ['🦦'.repeat(30)]).split(';')[0]!
    expect(cookie.length).toBeLessThan(2100)
    const last = chosenColumns(request(), 't.19')
    cookie = choiceCookie(request(), 'http://x', 't.1', ['🦦'.repeat(3000)]).split(';')[0]!
    expect(chosenColumns(request(), 't.1')).toEqual([])
    expect(chosenColumns(request(), 't.19')).toEqual(last)
    cookie = 'gleaner_columns=%7Bbroken'
    expect(chosenColumns(request(), 't.1')).toEqual([])
  })
})

describe('order and filter', () => {
  test('concern the items of the page, and the page says so', async () => {
    const path = await items.run(lamps(120))
    const page = await items.ann.get(`${path}?sort=-price&find=LAMP`)
    const numbers = rowsOf(page)
    expect(numbers.length).toBe(25)
    const prices = numbers.map((number) => lamps(120)[number - 1]!.price)
    expect(prices).toEqual([...prices].sort((a, b) => b - a))
    expect(textOf(page)).toContain('25 of the 50 items on this page contain “ LAMP ”')
    expect(textOf(page)).toContain('Sorted by Price, descending, within the 50 items on this page')
    expect(page).toContain('aria-sort="descending"')
  })
  test('that match nothing leave the way back', async () => {
    const path = await items.run(lamps(3))
    const page = await items.ann.get(`${path}?find=${encodeURIComponent('<script>')}`)
    expect(textOf(page)).toContain('None of the 3 items contain')
    expect(page).toContain(`href="${path}#items">Show all</a>`)
    expect(page).not.toContain('<script>')
  })
})

test('the table for spreadsheets has the rows, the columns and the order of the page', async () => {
  const path = await items.run(lamps(120))
  const answer = await items.ann.send(`${path}/table.tsv?from=50&columns=title,price&sort=-price&find=lamp`)
  expect(answer.headers.get('content-type')).toBe('text/tab-separated-values; charset=utf-8')
  const [head, ...lines] = (await answer.text()).trimEnd().split('\r\n')
  expect(head).toBe('Title\tPrice')
  const page = await items.ann.get(`${path}?from=50&sort=-price&find=lamp`)
  expect(lines).toEqual(
    rowsOf(page).map((number) => {
      const { title, price } = lamps(120)[number - 1]!
      return `${title}\t${price}`
    }),
  )
})

describe('one item', () => {
  test('has a page with its fields, its neighbours and its JSON', async () => {
    const path = await items.run(lamps(3))
    const page = await items.ann.get(`${path}/items/2`)
    expect(page).toContain('<h1>Chair 1</h1>')
    expect(textOf(page)).toContain('Item 2 of 3')
    expect(page).toContain(`href="${path}/items/1">Previous</a>`)
    expect(page).toContain(`href="${path}/items/3">Next</a>`)
    expect(page).toContain(`href="${path}#item-2"`)
    expect(await (await items.ann.send(`${path}/items/2/json`)).json()).toEqual(lamps(3)[1]!)
  })
  test('that does not exist is not found, nor is one of another account', async () => {
    const path = await items.run(lamps(3))
    for (const number of ['0', '4', '-1', '1e3', 'csv', '99999999999'])
      expect((await items.ann.send(`${path}/items/${number}`)).status).toBe(404)
    const page = await (await items.ann.send(`${path}/items/4`)).text()
    expect(textOf(page)).toContain('No item 4 This run has 3 items. Open the run')
    expect(page).toContain(`href="${path}">Open the run</a>`)
    const other = await items.house.service.openAccount()
    const ben = await items.house.joins('owner', 'Ben', other.accountId)
    const foreign = path.replace(items.house.accountId, other.accountId)
    for (const rest of ['/items/1', '/items/1/json', '/download/csv', '/table.tsv'])
      expect((await ben.send(foreign + rest)).status).toBe(404)
  })
})

describe('items that mean harm', () => {
  const keys = [
    '<b>',
    '"',
    "'",
    '&amp;',
    'a,b',
    '-a',
    '__proto__',
    'constructor',
    ' ',
    '🦦',
    'שלום',
    'x'.repeat(5000),
  ]
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`column_${n}`, '<&"🦦'.repeat(300)]))
  let deep: unknown = 'bottom'
  for (let n = 0; n < 20; n++) deep = [{ deep }]
  const hostile = {
    ...JSON.parse('{"__proto__": "own"}'),
    ...Object.fromEntries(
      keys.filter((key) => key !== '__proto__').map((key) => [key, `${key} <script>alert(1)</script>`]),
    ),
    rtl: '\u202Eשלום עולם'.repeat(100),
    deep,
    links: Array.from({ length: 500 }, (_, n) => `https://lamps.example/${'&'.repeat(500)}/${n}.jpg`),
    ...wide,
  }
  const hostiles = Array.from({ length: 60 }, () => hostile)

  test.each([
    '',
    '?columns=*',
    '?columns=*&images=1&sort=-a&find=a',
    `?columns=${encodeURIComponent('a,b')}&columns=-a`,
  ])('stay below 200 kB and are text, never markup: %s', async (query) => {
    const path = await items.run(hostiles)
    const page = await items.ann.get(path + query)
    expect(Buffer.byteLength(page)).toBeLessThan(200_000)
    expect(page).not.toContain('<script>alert')
    expect(page).not.toContain('<b> <')
  })
  test('do so on their own pages', async () => {
    const path = await items.run([hostile, { text: 'x'.repeat(1_000_000) }, { a: null, b: null }])
    for (const number of [1, 2, 3]) {
      const page = await items.ann.get(`${path}/items/${number}`)
      expect(Buffer.byteLength(page)).toBeLessThan(200_000)
      expect(page).not.toContain('<script>alert')
    }
    expect(await items.ann.get(`${path}/items/1`)).toContain('bottom')
  })
})

test('a page of 10,000 items is as small as one of 100', async () => {
  const path = await items.run(lamps(10_000))
  for (const from of [0, 5000, 9950])
    expect(Buffer.byteLength(await items.ann.get(`${path}?from=${from}&columns=*`))).toBeLessThan(100_000)
})
