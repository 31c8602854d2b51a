/** Durations and relative times read naturally at each of their borders. */
import { describe, expect, test } from 'bun:test'
import { ago, duration, elapsed, relative } from '../../../src/console/components/durations.ts'

const S = 1000
const M = 60 * S
const H = 60 * M
const D = 24 * H

test.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [349.6, '350 ms'],
  [999, '999 ms'],
  [S, '1 s'],
  [4250, '4.2 s'],
  [9999, '9.9 s'],
  [10 * S, '10 s'],
  [M - 1, '59 s'],
  [M, '1 min'],
  [72 * S, '1 min 12 s'],
  [H - 1, '59 min 59 s'],
  [H, '1 h'],
  [2 * H + 5 * M + 59 * S, '2 h 5 min'],
  [D, '1 d'],
  [3 * D + 4 * H + 59 * M, '3 d 4 h'],
])('%d ms last %s', (ms, text) => expect(duration(ms)).toBe(text))

test.each([
  [-D, 'just now'],
  [44 * S, 'just now'],
  [45 * S, '1 minute ago'],
  [100 * S, '2 minutes ago'],
  [H, '1 hour ago'],
  [D - 1, '23 hours ago'],
  [D, 'yesterday'],
  [2 * D, '2 days ago'],
  [59 * D, '59 days ago'],
  [60 * D, '2 months ago'],
  [800 * D, '2 years ago'],
])('%d ms before now is %s', (ms, text) => expect(ago(ms)).toBe(text))

describe('a script keeps them current by the same rules', async () => {
  // @ts-expect-error: scripts of pages have no types
  const script = await import('../../../src/console/assets/ages.js')
  const ages = [0, S, 44 * S, 45 * S, 100 * S, H - 1, H, 5 * H, D, 3 * D, 70 * D, 900 * D]
  test.each(ages)('%d ms ago', (ms) => expect(script.ago(ms)).toBe(ago(ms)))
  test.each(ages)('%d ms passed', (ms) => {
    const at = new Date(0).toISOString()
    expect(elapsed(at, ms).text).toContain(`>${script.elapsed(ms)}<`)
  })
})

describe('with its time at hand', () => {
  const at = '2026-11-28T23:00:00.000Z'
  test('a relative time has the absolute one as tooltip and, for phones, beside it', () => {
    const { text } = relative(at, Date.parse(at) + 5 * M)
    expect(text).toContain('title="2026-11-28 23:00:00 UTC" data-ago="300000">5 minutes ago</time>')
    expect(text).toContain('<span class="on-phone"> (<time datetime="2026-11-28T23:00:00.000Z">')
  })
  test('an elapsed time has whole seconds, so it does not jump when the script takes over', () => {
    expect(elapsed(at, Date.parse(at) + 4250).text).toContain('data-elapsed="4250">4 s<')
    expect(elapsed(at, Date.parse(at) - 1).text).toContain('data-elapsed="1000">1 s<')
  })
})
