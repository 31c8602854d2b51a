/** docs/sources.md describes every source and its declarations. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTask, Nullable, type SourceOptions, Type } from '../../src/plugin.ts'
import { readSources } from './evidence.ts'
import { recordedTable, sourceTable, tableAt, withTable } from './tables.ts'

const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'sources.md'), 'utf8')
const sources = await readSources()

test('docs/sources.md describes every source, and its table of sources is current (npm run sources updates it)', () => {
  const missing = sources.filter(({ source }) => !document.includes(`\n### ${source.name}: `))
  expect(missing.map(({ source }) => source.name)).toEqual([])
  const declared = sourceTable(sources.map(({ source }) => source))
  expect(tableAt(document, 'sources').split('\n')).toEqual(declared.split('\n'))
})

describe('a table', () => {
  const task = defineTask({
    key: 'lamps.search',
    path: '/v1/lamps/search',
    title: 'Lamps',
    description: 'Lamps.',
    price: 1,
    input: Type.Object({}),
    item: Type.Object({ id: Type.String(), price: Nullable(Type.Number()) }),
    example: {},
    async *run() {
      yield* []
      return { next_cursor: null }
    },
  })
  const row = (...fields: [name: string, items: number, filled: number][]) => {
    const fills = fields.map(([name, items, filled]) => ({ name, items, filled, shares: [] }))
    return recordedTable([
      { task, cases: 3, syntheticCases: 1, items: 1000, casesWithItems: 3, fields: fills, failures: [] },
    ]).split('\n')[2]
  }

  test('rounds no field up to 100 % or down to 0 %', () => {
    expect(row(['id', 1000, 1000], ['price', 1000, 999], ['brand', 1000, 1], ['size', 1000, 0])).toBe(
      '| `lamps.search` | 2 recorded, 1 made after reports | 1000 | 1 of 4 always; `size` 0 %, `brand` 1 %, `price` 99 % |  |',
    )
    expect(row(['id', 1000, 1000], ['price', 400, 400])).toContain('| all 2 always |')
  })

  test('says the pace and the means of a source in words', () => {
    const row = (options: Partial<SourceOptions>) =>
      sourceTable([{ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', tasks: [], ...options }])
        .split('\n')[2]
        ?.split(' | ')
        .slice(3)
        .join(' | ')
    expect(row({})).toBe('plain requests | 5 a second, 4 at once, each host |')
    const pace = { perSecond: 0.8, burst: 20, perMinute: 30, concurrent: 1, together: true }
    expect(row({ pace, userAgent: 'x', credentials: ['KEY'] })).toBe(
      'plain requests, as a browser, with the credentials of an API where they are set | 0.8 a second, 20 after a rest, 30 a minute, 1 at once, all hosts together |',
    )
    const hosts = { '*.cdn.example': { perSecond: 10 } }
    expect(row({ pace: { perSecond: 1, withoutContact: { perSecond: 1 / 6 }, hosts } })).toBe(
      'plain requests | 1 a second, 4 at once, each host; without a contact 1 in 6 seconds, 4 at once; `*.cdn.example`: 10 a second, 4 at once |',
    )
    const needs = { ...task, needs: { browser: true, login: 'optional' as const } }
    expect(row({ tasks: [needs], userAgent: 'x' })).toStartWith(
      'plain requests, as a browser, then a browser, signed in where there is a login',
    )
    expect(row({ tasks: [{ ...task, needs: { browser: true, login: true } }] })).toStartWith(
      'a browser, signed in',
    )
  })

  test('replaces only its place in a document', () => {
    const text = 'a\n<!-- table: x -->\nold\n\nold\n<!-- end -->\nb\n<!-- table: y -->\n1\n<!-- end -->\n'
    const written = withTable(text, 'x', 'new $1\n| $& |')
    expect(written).toBe(text.replace('old\n\nold', () => 'new $1\n| $& |'))
    expect(tableAt(written, 'x')).toBe('new $1\n| $& |')
    expect(tableAt(written, 'y')).toBe('1')
    expect(tableAt(withTable('<!-- table: x -->\n<!-- end -->', 'x', '| 1 |'), 'x')).toBe('| 1 |')
    expect(() => withTable(text, 'z', '')).toThrow('no place for the table z')
  })
})
