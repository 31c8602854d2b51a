import { expect, test } from 'bun:test'
import { formatJson } from '../../src/recording/format.ts'

const VALUE = {
  task: 'lamps.search',
  empty: [{}, []],
  nothing: undefined,
  short: { a: 1, b: 'two', c: null },
  long: { text: 'x'.repeat(100), more: 'y' },
  numbers: [1, 2.5, -3e20],
  list: [{ deep: { deeper: ['a', { b: [] }] } }, 'a "quoted"\ntext', ['x'.repeat(60), 'y'.repeat(60)]],
}

test('formatJson keeps the JSON and its order', () => {
  expect(JSON.stringify(JSON.parse(formatJson(VALUE)))).toBe(JSON.stringify(VALUE))
})

test('formatJson puts flat objects and lists that fit on one line, and breaks the others', () => {
  const text = formatJson(VALUE)
  expect(text).toContain('\n  "short": { "a": 1, "b": "two", "c": null },\n')
  expect(text).toContain('\n  "numbers": [1, 2.5, -300000000000000000000],\n')
  expect(text).toContain(`\n  "long": {\n    "text": "${'x'.repeat(100)}",\n    "more": "y"\n  },\n`)
  expect(text).toEndWith('}\n')
})
