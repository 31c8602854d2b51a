/** The parts of summaries that plugins share. */
import { expect, test } from 'bun:test'
import { quantity, shortUrl, summaryOf } from '../../src/plugin.ts'

test('a summary has its parts in order, without those that are missing or empty', () => {
  expect(summaryOf('a', undefined, '', quantity(3, 'page'), 'b')).toBe('a · 3 pages · b')
  expect(summaryOf(undefined)).toBe('')
})

test.each([
  ['http://WWW.Shop.example', 'Shop.example'],
  ['https://user:secret@www.shop.example:8443/a/b/#x', 'shop.example:8443/a/b'],
  [' https://shop.example?token=secret ', 'shop.example'],
  ['https://shop.example/a?b=/c@d', 'shop.example/a'],
  ['www.shop.example/a', 'www.shop.example/a'],
  ['ftp://shop.example/a', 'ftp://shop.example/a'],
  ['https://', 'https://'],
])('%s is shown as %s', (url, text) => {
  expect(shortUrl(url)).toBe(text)
})

test('a long text is shortened in linear time', () => {
  const text = `https://${'@'.repeat(500_000)}`
  expect(shortUrl(text).length).toBeLessThanOrEqual(text.length)
})
