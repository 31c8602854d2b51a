import { describe, expect, test } from 'bun:test'
import type { Cassette, Exchange } from '../../../src/plugin/testing.ts'
import { differencesOf, differenceText } from '../../../tools/repair/difference.ts'
import { nearestOf } from '../../../tools/repair/matching.ts'
import { type ParserFile, placesOf } from '../../../tools/repair/parser-files.ts'

const ORIGIN = 'https://www.lamps.example'
const run = (...exchanges: Exchange[]): Cassette => ({ task: 'lamps.search', input: {}, exchanges })
const parser = (...lines: string[]): ParserFile[] => [{ path: '/lamps/source.ts', text: lines.join('\n') }]
const textOf = async (old: Cassette, fresh: Cassette, files: readonly ParserFile[] = []) =>
  differenceText(await differencesOf(old, fresh, ORIGIN, files), () => 'source.ts')

describe('the old recording to compare with', () => {
  test('is the one with the most similar requests', () => {
    const page = { cassette: run({ request: '/lamps/desk' }, { request: '/lamps/desk/reviews' }) }
    const api = { cassette: run({ request: 'POST /api/search', sent: { sort: 'new' } }) }
    const elsewhere = { cassette: run({ request: 'https://api.lamps.example/lamps/desk' }) }
    const all = [elsewhere, api, page]
    expect(nearestOf(all, run({ request: '/lamps/floor' }), ORIGIN)).toBe(page)
    expect(nearestOf(all, run({ request: 'POST /api/search', sent: { sort: 'old' } }), ORIGIN)).toBe(api)
    expect(nearestOf([], run(), ORIGIN)).toBeUndefined()
  })

  test('has the same login where requests are the same', () => {
    const visitor = { cassette: run({ request: '/lamps' }) }
    const member = { cassette: { ...visitor.cassette, signedIn: true } }
    expect(nearestOf([visitor, member], { ...visitor.cassette, signedIn: true }, ORIGIN)).toBe(member)
  })
})

describe('the difference', () => {
  test('compares the same step of runs whose inputs lead to different addresses', async () => {
    const old = run({ request: '/r/desks/hot.json', json: { lamps: [{ price: 1 }] } })
    const fresh = run({ request: '/r/lamps/hot.json', json: { lamps: [{ cost: 1 }] } })
    expect(await textOf(old, fresh)).toContain(
      'GET /r/lamps/hot.json\n  gone: lamps[].price (number); its new name may be lamps[].cost\n',
    )
  })

  test('begins with the parts that the parser names, and with the step that has them', async () => {
    const old = run(
      { request: '/ads', json: { a: 1, b: 2 } },
      { request: '/lamps', json: { b: 2, price: 1 } },
    )
    const fresh = run({ request: '/ads', json: { c: 1 } }, { request: '/lamps', json: { d: 'x' } })
    const lines = (await textOf(old, fresh, parser(`const price = at(lamp, 'price')`))).split('\n')
    const [, , step, first] = lines
    expect([step, first]).toEqual(['GET /lamps', '  gone: price (number)  <- source.ts:1'])
    expect(lines).toContain('GET /ads')
  })

  test('names a renamed part once, and finds its line by the name of an attribute or of a class without its end', async () => {
    const page = (card: string) => run({ request: '/', body: `<p>${card}</p>` })
    const old = page('<lamp-card class="Card_price__x7Yz1" price="7"></lamp-card>')
    const files = parser(`attribute(card, 'price')`, `find('[class*=Card_price]')`)
    const text = await textOf(old, page('<lamp-card></lamp-card>'), files)
    expect(text).toContain('  gone: lamp-card.Card_price__*  <- source.ts:2\n')
    expect(text).toContain('  gone: lamp-card[price]  <- source.ts:1\n')
    const json = (name: string) => run({ request: '/', json: { [name]: 1 } })
    expect(await textOf(json('a'), json('b'))).not.toContain('new: b')
  })

  test('names another status', async () => {
    const text = await textOf(
      run({ request: '/lamps', json: { a: 1 } }),
      run({ request: '/lamps', status: 404, json: { a: 1 } }),
    )
    expect(text).toContain('GET /lamps answers 404, before 200\n')
  })

  test('has 200 lines at most, and says how many are left out', async () => {
    const fields = (name: string) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${name}${i}x`, i]))
    const text = await textOf(
      run({ request: '/', json: fields('a') }),
      run({ request: '/', json: fields('b') }),
    )
    expect(text.trimEnd().split('\n')).toHaveLength(200)
    expect(text).toMatch(/^… and \d+ more lines$/m)
  })

  test('of equal shapes says so', async () => {
    const same = run({ request: '/lamps', json: { a: 1 } })
    expect(await textOf(same, same)).toContain('Compare their values.')
  })
})

describe('the lines of a parser that read a name', () => {
  const lines = (name: string, ...text: string[]) => placesOf(parser(...text), name).map(({ line }) => line)

  test('are those with it as a text or after a dot, if there are any', () => {
    expect(lines('title', `title: field.text('title'),`, `title: 'Lamp search',`, 'lamp.title')).toEqual([
      1, 3,
    ])
    expect(lines('amount', `price: field.number('price.amount'),`)).toEqual([1])
    expect(lines('card', `all('div.card > a')`, `find(".cards")`)).toEqual([1])
  })

  test('else all that have it, but no comments', () => {
    expect(lines('price', 'const { price } = lamp', '// the price', ' * the price')).toEqual([1])
    expect(lines('price', 'const prices = 1')).toEqual([])
  })
})
