/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import { search } from './search.ts'

test.each([
  [{ query: 'Port Townsend, WA' }, 'Port Townsend, WA'],
  [
    { query: 'https://www.redfin.com/city/30818/TX/Austin?utm_source=x', page: 2 },
    'redfin.com/city/30818/TX/Austin · page 2',
  ],
  [{ query: '98368', cursor: '4' }, '98368 · page 4'],
] as const)('search of %j is %s', (input, title) => {
  expect(search.summary?.(input)).toBe(title)
})
