import { describe, expect, test } from 'bun:test'
import { changingState } from './module-state.ts'
import { sourcesIn } from './sources.ts'

/** By its plugin: fixtures are programs for authors, and no run loads them. */
const plugins = Map.groupBy(
  sourcesIn('plugins', 'tools/new-source/template').filter(({ path }) => !path.includes('/fixtures/')),
  ({ path }) => path.split('/', 2).join('/'),
)

test('modules of plugins hold constants only: runs of several accounts share them', () => {
  expect(plugins.size).toBeGreaterThan(10)
  expect([...plugins.values()].flatMap(changingState)).toEqual([])
})

const faultsOf = (...texts: readonly string[]) =>
  changingState(texts.map((text, i) => ({ path: `plugins/a/${i}.ts`, text })))

describe('a variable that a run can change is found', () => {
  test.each<[string, string]>([
    ['let', 'let count = 0'],
    ['let that is exported', 'export let count = 0'],
    ['let without a value', 'let token: string | undefined'],
    ['var', 'var count = 0'],
    ['several names', 'let { a, b } = read()'],
    ['a Map', 'const seen = new Map()'],
    ['a Map with types', 'export const seen = new Map<string, number>([])'],
    ['a Map of a type that can change', 'const seen: Map<string, number> = new Map()'],
    ['a Set on the next line', 'const seen =\n  new Set([1])'],
    ['a WeakMap', 'const seen: WeakMap<object, string> = new WeakMap()'],
    ['a Set within an object', 'const state = {\n  seen: new Set<string>(),\n}'],
    [
      'a list that grows',
      'const rows: string[] = []\nexport function add(row: string) {\n  rows.push(row)\n}',
    ],
    ['an object with a new value', 'const last = { at: 0 }\nconst note = () => {\n  last.at = 5\n}'],
    [
      'an object by a name',
      'const last: Record<string, number> = {}\nconst note = (a: string) => {\n  last[a] ??= 5\n}',
    ],
    ['a counter', 'const last = { n: 0 }\nconst note = () => last.n++'],
    ['a deleted name', 'const last = { n: 0 }\nconst note = () => delete last.n'],
    ['Object.assign', 'const last = {}\nconst note = (a: object) => Object.assign(last, a)'],
    ['a list that is sorted in place', "const NAMES = ['b', 'a']\nexport const sorted = () => NAMES.sort()"],
    ['an instance of a class', "const site = new Site('a')"],
    ['a static field', 'export class Site {\n  static token = 5\n}'],
    ['a static field without a value', 'export class Site {\n  private static token: string\n}'],
    [
      'a regular expression that is read on',
      "const WORD = /a'b/g\nexport const next = (text: string) => WORD.exec(text)",
    ],
    [
      'a sticky regular expression',
      'const WORD = /a[/]b/y\nexport const isWord = (text: string) => WORD.test(text)',
    ],
    [
      'a regular expression of a text',
      "const WORD = new RegExp(`a`, 'gu')\nexport const isWord = (t: string) => WORD.test(t)",
    ],
    [
      'a regular expression with its position',
      'const WORD = /a/g\nexport const all = (at: number) => {\n  WORD.lastIndex = at\n}',
    ],
    ['after a comment and a template', '/* let a */\nconst A = `\nconst b = $' + '{[`x`]}`\n// x\nlet c = 1'],
  ])('%s', (_, text) => {
    expect(faultsOf(text)).toHaveLength(1)
  })

  test('an exported list that another file changes', () => {
    const list = 'export const rows: string[] = []'
    const other = "import { rows } from './0.ts'\nexport const add = (row: string) => rows.push(row)"
    expect(faultsOf(list, other)).toEqual(['plugins/a/0.ts: rows is changed'])
  })
})

describe('a constant is no fault', () => {
  test.each<[string, string]>([
    ['a number', 'const MOST = 5'],
    ['a formatter', "const PRICE = new Intl.NumberFormat('en')"],
    ['a ReadonlyMap', "const KINDS: ReadonlyMap<string, number> = new Map([['a', 1]])"],
    ['a ReadonlySet on several lines', 'export const KINDS: ReadonlySet<string> = new Set([\n  1,\n])'],
    ['an object of sets', 'const KINDS: Record<string, ReadonlySet<string>> = {\n  a: new Set([1]),\n}'],
    ['a list of the members of a Set', 'const ALL = [...new Set([1, 1])]'],
    ['a Set of a function', 'export const make = (): Set<string> => new Set()'],
    ['a Set of a run', 'export function read() {\n  const seen = new Set()\n  let n = 0\n  return seen\n}'],
    [
      'a Set within a method',
      'export default defineTask({\n  async *run(context, { query }) {\n    const seen = new Set()\n    let n = 0\n  },\n})',
    ],
    [
      'a Set within a function of an object',
      'const site = {\n  make: () => new Set(),\n  more: (a: number): Set<number> => {\n    return new Set([a])\n  },\n}',
    ],
    [
      'a list of a run with the name of another constant',
      'const rows = [1]\nfunction read() {\n  const rows: number[] = []\n  rows.push(1)\n}',
    ],
    [
      'a comparison',
      "const LAST = { at: 0 }\nconst isLast = (n: number) => LAST.at === n || LAST.at >= n || LAST['at'] == n",
    ],
    [
      'a type with the name of a value',
      'export const Row = Type.Object({})\nexport type Row = Static<typeof Row>\nfunction read(rows: readonly Row[] = [], all: Row[] = []) {\n  rows.map(String)\n}',
    ],
    ['a function with a type', 'const read: (text: string) => number = (text) => text.length'],
    ['a copy that is sorted', 'const NAMES = [1]\nexport const sorted = () => NAMES.filter(Boolean).sort()'],
    [
      'fields of an instance',
      'export class Site {\n  private seen = new Set()\n  static readonly MOST = 5\n  static async begin() {\n    let n = 0\n  }\n}',
    ],
    ['a regular expression', 'const WORD = /a/iu\nexport const isWord = (text: string) => WORD.test(text)'],
    [
      'a regular expression that starts anew',
      "const WORD = /a/g\nexport const read = (text: string) => [...text.replace(WORD, '').matchAll(WORD)]",
    ],
    [
      'a regular expression that is passed to a function that reads it from its start',
      'const WORD = /a/g\nexport const words = (text: string) => wordsIn(text, WORD)',
    ],
    ['a comment', '/**\n * x\n */\n// let a = 1\nconst a = 1'],
    ['a program as a text', 'export const PAGE = `\nlet a = 1\nvar b = $' + '{c ? `\nlet d` : 1}\n`'],
    ['a division', 'const A = B / C\nconst D = E / F'],
  ])('%s', (_, text) => {
    expect(faultsOf(text)).toEqual([])
  })
})
