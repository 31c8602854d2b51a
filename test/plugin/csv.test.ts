import { describe, expect, test } from 'bun:test'
import { csvRecords } from 'gleaner/plugin'

describe('the records of a CSV text', () => {
  test.each<[string, string[][]]>([
    ['', []],
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\rb', [['a'], ['b']]],
    ['\ufeffa,b', [['a', 'b']]],
    [
      'a,\n,b\n\n',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['"a, ""b""\r\nc",d', [['a, "b"\r\nc', 'd']]],
    ['"","x"', [['', 'x']]],
    ['=1+1,"@x"', [['=1+1', '@x']]],
    ['a,5" pipe,c', [['a', '5" pipe', 'c']]],
  ])('%j', (text, records) => {
    expect(csvRecords(text)).toEqual(records)
  })

  test.each(['"a"b,c', 'a,"b', '"a""'])('%j is refused', (text) => {
    expect(() => csvRecords(text)).toThrow()
  })

  test('a field of megabytes is parsed in linear time (quadratic time would take minutes)', () => {
    const field = 'a""\n'.repeat(1_000_000)
    expect(csvRecords(`"${field}",b`)).toEqual([[field.replaceAll('""', '"'), 'b']])
  })
})
