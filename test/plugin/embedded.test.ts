import { describe, expect, test } from 'bun:test'
import { jsonAfter } from '../../src/plugin.ts'

describe('jsonAfter', () => {
  test.each<[string, string, unknown]>([
    ['x = {"a": "}", "b": {"c": "\\"]{"}}; y = {}', 'x =', { a: '}', b: { c: '"]{' } }],
    ['x = ["\\\\", "a"] {', 'x =', ['\\', 'a']],
    ['<script id="s" type="application/json"> {"a": "</script>"} </script>', 'id="s"', { a: '</script>' }],
    ['{"a": 1} trailing', '', { a: 1 }],
    ['a page', 'x =', undefined],
    ['', 'x =', undefined],
  ])('in %j, after %j', (page, marker, value) => {
    expect(jsonAfter(page, marker)).toEqual(value)
  })

  test.each([
    'x = 7',
    'x =',
    'x = {"a": ',
    'x = {"a": "b',
    'x = {"a": "b\\"}',
    'x = {a: 1}',
    'x = {"a": undefined}',
  ])('%j is not JSON and fails with source-changed', (page) => {
    expect(() => jsonAfter(page, 'x =')).toThrow(expect.objectContaining({ code: 'source-changed' }))
  })

  test('takes linear time (quadratic time would take minutes)', () => {
    for (const part of ['\\"', '"', '\\\\', '{', '"{"'])
      expect(() => jsonAfter(`x = {"${part.repeat(1_000_000)}`, 'x =')).toThrow()
  })
})
