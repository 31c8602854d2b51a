/** Which columns the items table shows: a reader sees first what tells items apart. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { bestColumns, fieldsOf } from '../../../../src/console/account/items/columns.ts'
import {
  columnsIn,
  columnsText,
  nextPage,
  previousPage,
  queryOf,
  sortIn,
  viewOf,
} from '../../../../src/console/account/items/view.ts'

const lamp = {
  id: '7',
  url: 'https://lamps.example/items/7',
  title: 'Desk lamp',
  price: 7.5,
  currency: 'EUR',
  watts: 40,
  brand: null,
  tags: ['desk'],
  image_url: 'https://cdn.lamps.example/7.jpg',
  seller: { id: '1', login: 'ann' },
  sold: false,
  seen_at: '2026-11-28T10:00:00Z',
}
const lamps = [
  lamp,
  { ...lamp, id: '8', title: 'Floor lamp', price: 19 },
  { ...lamp, id: '9', title: 'Lamp' },
]

describe('columns that nobody picked', () => {
  const columns = bestColumns(lamps, Object.keys(lamp))

  test('begin with the field that names an item, and keep the order of the schema after it', () => {
    expect(columns[0]).toBe('title')
    expect(columns.slice(1)).toEqual(Object.keys(lamp).filter((name) => columns.slice(1).includes(name)))
  })
  test('are few, without ids and without fields that are empty or the same everywhere', () => {
    expect(columns.length).toBe(5)
    expect(columns).toContain('price')
    for (const name of ['id', 'brand', 'currency', 'url']) expect(columns).not.toContain(name)
  })
  test('are the fullest ones', () => {
    const fields = Array.from({ length: 20 }, (_, n) => `f${n}`)
    const items = Array.from({ length: 10 }, (_, n) =>
      Object.fromEntries(fields.map((name, i) => [name, i % 2 === 0 || n === 0 ? `${name} ${n}` : null])),
    )
    expect(bestColumns(items, fields)).toEqual(['f0', 'f2', 'f4', 'f6', 'f8', 'f10', 'f12'])
  })
  test('are all that hold something when there are few, ids too', () => {
    expect(bestColumns([{ id: '1', name: 'a', note: '' }], ['id', 'name', 'note'])).toEqual(['name', 'id'])
  })
  test('have the pictures after the name where the reader wants to see them', () => {
    expect(bestColumns(lamps, Object.keys(lamp), true).slice(0, 2)).toEqual(['title', 'image_url'])
  })
  test('exist for no items, and for items that are null everywhere', () => {
    expect(bestColumns([], ['a'])).toEqual([])
    expect(bestColumns([{ a: null }, { a: null }], ['a'])).toEqual([])
  })
})

/** What a person looks for first in the items of each task, and what tells nothing. */
describe.each([
  ['encyclopedia.search', ['title', 'snippet', 'timestamp'], ['pageid', 'ns', 'snippet_html']],
  [
    'flights.search',
    ['airlines', 'departure_at', 'arrival_at', 'price'],
    ['offer_id', 'currency', 'price_display'],
  ],
  [
    'forum.posts',
    ['title', 'author', 'score', 'created_at'],
    ['id', 'fullname', 'community_prefixed', 'domain'],
  ],
  ['forum.user', ['body', 'score', 'created_at', 'post_title'], ['parent_id', 'fullname']],
  [
    'marketplace.search',
    ['title', 'price', 'total_price', 'condition'],
    ['id', 'currency', 'url', 'promoted'],
  ],
  ['marketplace.member.search', ['login', 'item_count'], ['id', 'country_code', 'business']],
  [
    'microblog.search',
    ['text', 'created_at', 'author', 'favorite_count', 'view_count'],
    ['id', 'lang', 'conversation_id', 'is_reply'],
  ],
  [
    'realty_a.search',
    ['address', 'price', 'bedrooms', 'property_type'],
    ['currency', 'price_display', 'featured'],
  ],
  ['realty_b.search', ['street_address', 'price', 'bedrooms'], ['mls_number', 'postal_code', 'currency']],
  [
    'shortvideo.comments',
    ['text', 'created_at', 'author', 'like_count'],
    ['comment_id', 'language', 'is_pinned'],
  ],
  ['shortvideo.hashtag', ['description', 'created_at', 'play_count'], ['video_id', 'cover_url', 'is_ad']],
  [
    'video.channel.shorts',
    ['title', 'view_count'],
    ['video_id', 'view_count_text', 'thumbnail_url', 'thumbnails', 'position', 'page'],
  ],
])('the columns of %s', (task, first, never) => {
  const [plugin] = task.split('.')
  const file = new URL(`../../../../plugins/${plugin}/samples.json`, import.meta.url)
  const { items } = JSON.parse(readFileSync(file, 'utf8'))[task]
  const columns = bestColumns(items, fieldsOf(items, []))

  test('begin with the name of an item and have what a person looks for', () => {
    expect(columns).toEqual(expect.arrayContaining(first))
    expect(columns[0]).toBe(first[0])
  })
  test('have nothing that a person skips', () => {
    for (const name of never) expect(columns).not.toContain(name)
  })
})

describe('the fields that a reader may pick', () => {
  test('are those of the schema and then those of the items, a bounded number with names of bounded length', () => {
    const items = [
      Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n])),
      { ['x'.repeat(101)]: 1, 'odd, "name"': 1 },
    ]
    expect(fieldsOf([{ b: 1, 'odd, "name"': 1, ['x'.repeat(101)]: 1 }], ['a'])).toEqual([
      'a',
      'b',
      'odd, "name"',
    ])
    expect(fieldsOf(items, ['a']).length).toBe(200)
    expect(fieldsOf([{ id: 1, name: 'x' }], ['id', 'title'])).toEqual(['name', 'id', 'title'])
  })
})

describe('the address of a table', () => {
  const view = (query: string) => viewOf(new URL(`http://x/?${query}`))

  test('names columns by commas, and each by itself where a name has a comma', () => {
    const fields = ['a', 'b,c', '-d']
    expect(columnsText(['a', '-d'])).toEqual(['a,-d'])
    expect(columnsText(['a', 'b,c'])).toEqual(['a', 'b,c'])
    expect(columnsIn(view('columns=a,-d').columns, fields)).toEqual(['a', '-d'])
    expect(columnsIn(view('columns=a&columns=b%2Cc').columns, fields)).toEqual(['a', 'b,c'])
  })
  test('drops columns that do not exist or occur twice, and shows forty at most', () => {
    const fields = Array.from({ length: 100 }, (_, n) => `f${n}`)
    expect(columnsIn(['f1,nope,f1,f0'], fields)).toEqual(['f1', 'f0'])
    expect(columnsIn(['*'], fields).length).toBe(40)
    expect(columnsIn(['nope'], fields)).toEqual([])
  })
  test.each([
    ['', ''],
    [
      'from=50&columns=a,b&sort=-a&find=desk+lamp&images=1',
      '?from=50&columns=a,b&sort=-a&find=desk+lamp&images=1',
    ],
    ['from=37&before=0,12', '?from=37&before=0,12'],
    ['from=37&before=12,0', '?from=37'],
    ['from=37&before=0,37', '?from=37'],
    ['before=0,x', ''],
    ['from=-1&images=yes&other=1', ''],
    ['from=99999999999999', ''],
    ['columns=a%26b', '?columns=a%26b'],
  ])('%j is written as %j', (query, written) => {
    expect(queryOf(view(query))).toBe(written)
  })
  test('remembers the pages before only where these have fewer than fifty items, and twenty of them', () => {
    expect(nextPage(view(''), 50)).toEqual({ from: 50, before: [] })
    expect(nextPage(view(''), 7)).toEqual({ from: 7, before: [0] })
    expect(nextPage(view('from=7&before=0'), 57)).toEqual({ from: 57, before: [0, 7] })
    expect(previousPage(view('from=57&before=0,7'))).toEqual({ from: 7, before: [0] })
    expect(previousPage(view('from=30'))).toEqual({ from: 0, before: [] })
    let last = view('')
    for (let n = 1; n < 100; n++) last = { ...last, ...nextPage(last, n) }
    expect(last.before.length).toBe(20)
  })
  test.each([
    ['a', { column: 'a', isDescending: false }],
    ['-a', { column: 'a', isDescending: true }],
    ['-b', { column: '-b', isDescending: false }],
    ['--b', { column: '-b', isDescending: true }],
    ['nope', undefined],
    ['-', undefined],
    ['', undefined],
  ])('the order %j', (text, sort) => {
    expect(sortIn(text, ['a', '-b'])).toEqual(sort)
  })
})
