import { describe, expect, test } from 'bun:test'
import { compareShapes } from '../../../tools/shape/compare.ts'
import { skeletonOf } from '../../../tools/shape/html.ts'
import { pathsOf } from '../../../tools/shape/json.ts'
import { wordsOf } from '../../../tools/shape/words.ts'

const lamp = { id: 1, title: 'Desk lamp', price: { amount: '7.50' }, tags: ['desk'] }
const answer = (...lamps: unknown[]) => ({ total: lamps.length, lamps })
const words = (old: unknown, fresh: unknown) => compareShapes(pathsOf(old), pathsOf(fresh)).map(wordsOf)
const pageWords = (old: string, fresh: string) =>
  compareShapes(skeletonOf(old), skeletonOf(fresh)).map(wordsOf)

describe('answers of JSON', () => {
  test('have the same shape whatever their values and the number of their rows', () => {
    const other = { id: 9, title: '', price: { amount: '1' }, tags: ['floor', 'tall'] }
    expect(words(answer(lamp), answer(other, lamp, other))).toEqual([])
  })

  const cases: [what: string, fresh: unknown, expected: string[]][] = [
    [
      'a field that is always null',
      answer({ ...lamp, title: null }),
      ['now null: lamps[].title, was string'],
    ],
    ['another type', answer({ ...lamp, id: '1' }), ['now string: lamps[].id, was number']],
    [
      'an object in place of a text',
      answer({ ...lamp, title: { text: 'Desk lamp' } }),
      ['now object: lamps[].title, was string', 'new: lamps[].title.text (string)'],
    ],
    ['an empty list', answer(), ['gone: lamps[] (object)']],
    [
      'a field that most rows lost',
      answer(lamp, { ...lamp, title: null }, { ...lamp, title: null }),
      ['rarer: lamps[].title has a value in 33 %, was 100 %'],
    ],
    [
      'a list that moved, without the paths below it',
      { total: 1, data: { lamps: [lamp] } },
      ['gone: lamps (list)', 'new: data (object)'],
    ],
    [
      'a list as the whole answer',
      [lamp],
      ['gone: total (number)', 'gone: lamps (list)', 'now list: $, was object', 'new: [] (object)'],
    ],
  ]
  for (const [what, fresh, expected] of cases)
    test(`that differ by ${what}`, () => expect(words(answer(lamp), fresh)).toEqual(expected))

  test('name a path that vanished together with the one that took its place', () => {
    const { title, ...rest } = lamp
    expect(words(answer(lamp), answer({ ...rest, name: title }))).toEqual([
      'gone: lamps[].title (string); its new name may be lamps[].name',
      'new: lamps[].name (string)',
    ])
  })

  test('do not differ by keys that are data', () => {
    const prices = (...ids: string[]) => ({ prices: Object.fromEntries(ids.map((id) => [id, { eur: 7 }])) })
    expect(words(prices('7315512', '2026-11-29'), prices('9', 'Lamp:1234567'))).toEqual([])
  })

  test('are compared in spite of endless depth', () => {
    const deep = JSON.parse(`${'[{"a":'.repeat(2000)}1${'}]'.repeat(2000)}`)
    expect(words(deep, deep)).toEqual([])
  })

  test('write keys that are no names in quotes', () => {
    expect(words({ 'x-id': 1, 'two words': { a: 1 } }, { 'two words': {} })).toEqual([
      'gone: ["x-id"] (number)',
      'gone: ["two words"].a (number)',
    ])
  })
})

describe('pages', () => {
  const card = (name: string) =>
    `<li class="card card_x7Yz1 ${name}" data-testid="lamp"><b itemprop="name">x</b></li>`
  const page = (cards: string, script = '{"lamps": [{"id": 1}]}') =>
    `<!doctype html><title>Lamps</title><ul id="list">${cards}</ul><script>var a = 1; window.shop = ${script}</script>`

  test('have the same shape whatever their texts, the number of their rows and the names of a build', () => {
    const old = page(card('lamp_8f3e21') + card('lamp_8f3e21'))
    expect(pageWords(old, page(card('lamp_17bc9a').replace('>x<', '>y<')))).toEqual([])
  })

  test('differ by classes, ids and attributes', () => {
    expect(pageWords(page(card('wide')), page(card('broad')).replace('itemprop', 'class'))).toEqual([
      'gone: li.wide',
      'gone: b[itemprop=name]',
      'new: li.broad',
      'new: b.name',
    ])
  })

  test('differ by the names of attributes with data', () => {
    const lamp = '<lamp-card id="a" price="7"></lamp-card><div data-lamp="x" title="y" data-testid="z"></div>'
    expect(pageWords(lamp, '<lamp-card cost="7"></lamp-card><div></div>')).toEqual([
      'gone: lamp-card#a',
      'gone: lamp-card[price]',
      'gone: div[data-testid=z]',
      'gone: div[data-lamp]',
      'new: lamp-card[cost]',
    ])
  })

  test('differ by the JSON in their scripts', () => {
    expect(pageWords(page(''), page('', '{"lamps": [{"key": 1}]}'))).toEqual([
      'gone: window.shop lamps[].id (number); its new name may be window.shop lamps[].key',
      'new: window.shop lamps[].key (number)',
    ])
    const state = (json: string) => `<p>x</p><script id="state" type="application/json">${json}</script>`
    expect(pageWords(state('{"a": 1}'), '<p>x</p>')).toEqual(['gone: script', 'gone: script#state'])
    expect(pageWords(state('{"a": 1}'), state('{"a": "1"}'))).toEqual([
      'now string: script#state a, was number',
    ])
  })

  test('are compared in spite of endless depth, and without the parts of their pictures', () => {
    const deep = `${'<div>'.repeat(20_000)}<svg><g><path class="a"></path></g></svg>`
    expect(pageWords(deep, deep.replace('class="a"', 'class="b"'))).toEqual([])
  })

  test('with scripts that are no JSON are compared by their elements', () => {
    expect(pageWords('<p>x</p>', '<p>x</p><script>f = {a: [}; g = [1, 2</script>')).toEqual(['new: script'])
  })
})
