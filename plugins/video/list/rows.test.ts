import { expect, test } from 'bun:test'
import { rowsOf } from './rows.ts'

const read = (rows: readonly unknown[]) => rowsOf({ note: () => undefined }, rows)

test('the length of a Short in a playlist is read from a number or a clock time', () => {
  const seconds = (more: object) =>
    read([{ playlistVideoRenderer: { videoId: 'a', title: 'A', ...more } }]).shorts[0]?.duration_seconds
  expect(seconds({ lengthSeconds: '59' })).toBe(59)
  expect(seconds({ lengthText: { simpleText: '1:02' } })).toBe(62)
})

test('an entry named like an Object method is not a known form', () => {
  const short = { playlistVideoRenderer: { videoId: 'a', title: 'A' } }
  expect(read([short, { constructor: {} }, { toString: {} }]).shorts).toHaveLength(1)
  expect(() => read([{ constructor: {} }])).toThrow('contains no Shorts but constructor')
})
