import { expect, test } from 'bun:test'
import { BoundedCache } from '../src/bounded-cache.ts'

test('repeated sets and reads of one key keep its value and evict no other key', () => {
  const cache = new BoundedCache<string, number>(10)
  cache.set('quiet', 1)
  for (let i = 0; i < 100; i++) {
    cache.set('busy', i)
    expect(cache.get('busy')).toBe(i)
  }
  expect(cache.get('quiet')).toBe(1)
})

test('the oldest values are evicted first, except values that are still read', () => {
  const cache = new BoundedCache<number, number>(10)
  cache.set(-1, -1)
  cache.set(-2, -2)
  for (let i = 0; i < 100; i++) {
    cache.set(i, i)
    expect(cache.get(-1)).toBe(-1)
  }
  const keptKeys = Array.from({ length: 100 }, (_, i) => i).filter((i) => cache.get(i) !== undefined)
  expect(keptKeys.length).toBeLessThanOrEqual(10)
  expect(keptKeys.at(-1)).toBe(99)
  expect(cache.get(-2)).toBeUndefined()
})

test('replacing a sized value takes no additional room, and deleted and cleared values are gone', () => {
  const cache = new BoundedCache<string, string>(100)
  cache.set('small', 'a', 1)
  for (let i = 0; i < 9; i++) cache.set('large', 'b', 40)
  expect(cache.get('small')).toBe('a')
  cache.delete('large')
  cache.set('other', 'c', 48)
  expect(cache.get('small')).toBe('a')
  expect(cache.get('large')).toBeUndefined()
  cache.clear()
  expect(cache.get('small')).toBeUndefined()
})
