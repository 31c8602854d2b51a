/** JSON that a person wrote is read as JSON.parse reads it, and its first fault is named by place, with what to change. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { objectIn } from '../../../../src/console/account/task/json.ts'

describe('a fault', () => {
  test.each([
    ['', 'The JSON is empty. Write an object, such as {"query": "lamp"}.'],
    ['[1]', 'The input is an object: it begins with { and ends with }.'],
    ['{\n  "a": 1\n  "b": 2\n}', 'Line 3, column 3: a comma or } is missing here.'],
    ['{"a": [1 2]}', 'Line 1, column 10: a comma or ] is missing here.'],
    ['{"a": 1,\n}', 'Line 1, column 8: no comma stands before }.'],
    ['{"a": [1, ]}', 'Line 1, column 9: no comma stands before ].'],
    ['{"a": "x', 'Line 1, column 7: this text has no closing quote.'],
    ['{"a": "x\n"}', 'Line 1, column 7: this text has no closing quote in its line.'],
    ['{"a": "\t"}', 'Line 1, column 8: a text has no control characters: write a tab as \\t.'],
    ['{"a": "C:\\x"}', 'Line 1, column 10: this is no escape: write a backslash as \\\\.'],
    [`{"a": 'x'}`, 'Line 1, column 7: a text stands in double quotes.'],
    ['{a: 1}', 'Line 1, column 2: the name of a field stands in double quotes.'],
    ['{"a" 1}', 'Line 1, column 6: a colon is missing here.'],
    ['{"a": }', 'Line 1, column 7: a value is missing here.'],
    ['{"a":', 'Line 1, column 6: a value is missing at the end.'],
    ['{"a": 1', 'Line 1, column 8: a } is missing at the end.'],
    ['{', 'Line 1, column 2: a } is missing at the end.'],
    ['{"a": 01}', 'Line 1, column 7: this is not a number in JSON.'],
    ['{"a": 1.}', 'Line 1, column 7: this is not a number in JSON.'],
    [
      '{"a": True}',
      'Line 1, column 7: a text stands in double quotes; other values are numbers, true, false and null.',
    ],
    ['{"a": 1} x', 'Line 1, column 10: nothing may follow the end of the object.'],
    ['{"a": 1, // why\n"b": 2}', 'Line 1, column 10: JSON has no comments.'],
    ['{"🦦": "🦦" "b": 1}', 'Line 1, column 11: a comma or } is missing here.'],
    [`{"a": ${'['.repeat(101)}`, 'Line 1, column 106: an input has at most 100 levels.'],
    [`{"a": ${'['.repeat(100)}1${']'.repeat(100)}}`, 'An input has at most 100 levels.'],
  ])('%j: %s', (text, fault) => expect(objectIn(text)).toEqual({ fault }))
})

test('objects are read whole, also with blanks around them', () => {
  const text = '\n {"a": [1, -0.5e3, "\\u00e9\\\\", null, true], "b": {}, "c": []}\r\n'
  expect(objectIn(text)).toEqual({ value: JSON.parse(text) })
})

test('of every text that JSON.parse refuses, a place is named', () => {
  const near = fc
    .tuple(
      fc.json({ maxDepth: 4 }),
      fc.nat(60),
      fc.constantFrom('', ',', '"', '}', ']', ':', '\\', "'", '\n', '0', 'x'),
    )
    .map(([text, at, put]) => `{"a": ${text.slice(0, at)}${put}${text.slice(at + 1)}}`)
  fc.assert(
    fc.property(near, (text) => {
      const parsed = objectIn(text)
      if ('value' in parsed) expect(parsed.value).toEqual(JSON.parse(text))
      else if (parsed.fault !== 'An input has at most 100 levels.')
        expect(parsed.fault).toMatch(/^Line \d+, column \d+: /)
    }),
    { numRuns: 2000 },
  )
})
