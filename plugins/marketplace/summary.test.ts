/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import type { Static } from 'gleaner/plugin'
import { search } from './catalog/search.ts'
import { searchFiltered } from './catalog/search-filtered.ts'
import { memberItems } from './members/member-items.ts'
import { memberSearch } from './members/member-search.ts'

test.each([
  [{ query: 'desk lamp' }, 'desk lamp'],
  [{ query: 'desk lamp', pages: 2, domain: 'https://www.vinted.de' }, 'desk lamp · vinted.de · 2 pages'],
] as const)('search of %j is %s', (input, title) => {
  expect(search.summary?.(input)).toBe(title)
})

test.each<[Partial<Static<typeof searchFiltered.input>>, string]>([
  [
    { query: 'jumper', price_from: '5', brand_ids: [], status_ids: '6,1', size_ids: ['7'] },
    'jumper · price from 5 · 2 filters',
  ],
  [
    { query: 'jumper', price_to: '40', order: 'newest_first', catalog: '5', pages: 1 },
    'jumper · price up to 40 · 1 filter · newest first · 1 page',
  ],
])('searchFiltered of %j is %s', (input, title) => {
  expect(searchFiltered.summary?.(input)).toBe(title)
})

test.each([[{ query: 'marigold', domain: 'vinted.fr' }, 'marigold · vinted.fr']] as const)(
  'memberSearch of %j is %s',
  (input, title) => {
    expect(memberSearch.summary?.(input)).toBe(title)
  },
)

test.each([
  [
    {
      member_url: 'https://www.vinted.co.uk/member/20240017-marigold?ref=secret',
      order: 'price_low_to_high',
    },
    'vinted.co.uk/member/20240017-marigold · price low to high',
  ],
] as const)('memberItems of %j is %s', (input, title) => {
  expect(memberItems.summary?.(input)).toBe(title)
})
