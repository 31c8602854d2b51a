/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import { search } from './search.ts'

test.each([
  [{ query: 'otter' }, 'otter'],
  [{ query: 'otter', limit: 5, cursor: '20' }, 'otter · from 20'],
] as const)('search of %j is %s', (input, title) => {
  expect(search.summary?.(input)).toBe(title)
})
