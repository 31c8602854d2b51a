/** The search of the catalogue finds what people mean. */
import { expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../../src/config.ts'
import { matching } from '../../../../src/console/account/tasks/search.ts'

const texts = ['Marketplace search, Vinted: second-hand items', 'Forum posts, Reddit', 'Café guide, Réunion']

test.each([
  ['', [0, 1, 2]],
  ['  ', [0, 1, 2]],
  ['VINTED', [0]],
  ['vint', [0]],
  ['vintd', [0]],
  ['vinetd', [0]],
  ['redit', [1]],
  ['cafe reunion', [2]],
  // Most of the words: nothing here is about lamps.
  ['vintd lamp', [0]],
  ['forum items', [0, 1]],
  ['xyz', []],
  ['zzzzzz qqqqqq', []],
  ['-', [0, 1, 2]],
])('%j', (query, found) => expect(matching(query, texts)).toEqual(found as number[]))

test('a word that stands somewhere as it is typed has no other meaning', () => {
  expect(matching('posts', ['posts', 'ports'])).toEqual([0])
})

test('the longest query is answered at once', () => {
  const query = Array.from({ length: 100 }, (_, i) => `w${i}`.padEnd(50, 'x')).join(' ')
  expect(matching(query, texts)).toEqual([])
})

test('sites are found by misspelt names', async () => {
  const { tasks } = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  const all = tasks.map(({ key, declaration: { title, description }, source }) =>
    [key, title, description, source.title].join(' '),
  )
  const found = (query: string) => [...new Set(matching(query, all).map((i) => tasks[i]!.source.name))]
  expect(found('vintd lamp')).toEqual(['marketplace'])
  expect(found('instagarm')).toEqual(['photo'])
  expect(found('wikipdia')).toEqual(['encyclopedia'])
  expect(found('fligts')).toEqual(['flights'])
  expect(found('tik tok')).toEqual(['shortvideo'])
})
