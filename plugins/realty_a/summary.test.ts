/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import { search } from './search.ts'

test.each([
  [{ query: 'Ambleside' }, 'Ambleside'],
  [{ query: 'Ambleside', page: 3 }, 'Ambleside · page 3'],
  [{ query: 'Ambleside', cursor: '24+10' }, 'Ambleside · from 24+10'],
] as const)('search of %j is %s', (input, title) => {
  expect(search.summary?.(input)).toBe(title)
})
