/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import { search } from './search.ts'
import { timeline } from './timeline.ts'

test.each([
  [{ query: '"desk lamp" from:ann' }, '"desk lamp" from:ann'],
  [{ query: 'lamps', tab: 'latest' }, 'lamps · latest'],
] as const)('search of %j is %s', (input, title) => {
  expect(search.summary?.(input)).toBe(title)
})

test.each([
  [{}, 'for you'],
  [{ timeline_type: 'following' }, 'following'],
] as const)('timeline of %j is %s', (input, title) => {
  expect(timeline.summary?.(input)).toBe(title)
})
