/** Summaries of inputs as titles of runs: one line of at most 80 characters, whatever a plugin returns. */
import { describe, expect, test } from 'bun:test'
import { inputSummary } from '../../src/catalogue/summary.ts'
import type { Task } from '../../src/plugin.ts'

const shown = (text: unknown) => inputSummary({ key: 'a.b', summary: () => text } as unknown as Task, {})

test('a task without a summary, and an input without one, have no title', () => {
  expect(inputSummary({ key: 'a.b' } as Task, {})).toBeNull()
  for (const text of [undefined, '', ' \n\t ', '\u202e']) expect(shown(text)).toBeNull()
})

test.each([null, 7, {}, Promise.resolve('x')])('%p is not a text', (text) => {
  expect(() => shown(text)).toThrow(new TypeError(`summary of a.b must return a text, not ${typeof text}`))
})

test.each([
  ['  desk lamp · 2 pages ', 'desk lamp · 2 pages'],
  ['two\nlines\r\nand\u2028a\u0000tab\there', 'two lines and a tab here'],
  ['a lone \ud83d surrogate', 'a lone \ufffd surrogate'],
  ['<b>&amp;</b>', '<b>&amp;</b>'],
  ['עברית و العربية', 'עברית و العربية'],
  // The mark would turn the text after the title as well.
  ['photo\u202egnp.exe\u2066', 'photognp.exe'],
  ['👩‍👩‍👧 of family', '👩‍👩‍👧 of family'],
  ['x'.repeat(80), 'x'.repeat(80)],
  ['😀'.repeat(80), '😀'.repeat(80)],
])('%j becomes %j', (text, title) => {
  expect(shown(text)).toBe(title)
})

describe('a longer text is shortened to 80 characters', () => {
  test.each([
    ['at a word', `${'lamp '.repeat(200)}`, `${'lamp '.repeat(15)}lamp…`],
    [
      'at a word that fits exactly',
      `${'x'.repeat(60)} ${'y'.repeat(18)} z`,
      `${'x'.repeat(60)} ${'y'.repeat(18)}…`,
    ],
    ['within a long word', 'x'.repeat(1000), `${'x'.repeat(79)}…`],
    ['within a long word after a short one', `a ${'x'.repeat(1000)}`, `a ${'x'.repeat(77)}…`],
    ['without the separator before it', `${'x'.repeat(70)} · ${'y'.repeat(50)}`, `${'x'.repeat(70)}…`],
    ['between emoji of several code points', '👩‍👩‍👧'.repeat(50), `${'👩‍👩‍👧'.repeat(15)}…`],
    ['when it has a megabyte', 'word '.repeat(200_000), `${'word '.repeat(15)}word…`],
  ])('%s', (_, text, title) => {
    expect(shown(text)).toBe(title)
    expect([...title].length).toBeLessThanOrEqual(80)
  })
})
