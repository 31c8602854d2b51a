import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { type CommandLine, commandLine } from '../../cli/command-line.ts'
import { type LampShop, lamps, startLampShop } from '../lamp-shop.ts'

const folder = temporaryFolder()
let line: CommandLine
let shop: LampShop
let cassette: string
const PAGE = `<!doctype html><title>Lamps</title><h1 class="head">Two lamps</h1>
<ul><li class="lamp-card">Desk</li><li class="lamp-card">Floor</li></ul>
<script>window.shop = {"lamps": [{"id": 7, "name": "Desk lamp"}]}; start()</script>`

beforeAll(async () => {
  line = await commandLine()
  shop = await startLampShop(folder)
  shop.answers.set('/api/lamps', lamps('Desk lamp', 'Floor lamp'))
  shop.answers.set('/front', PAGE)
  cassette = shop.cassette('search.json', {
    task: 'lamps.search',
    input: { query: 'desk' },
    exchanges: [
      { request: 'GET /old', status: 301, headers: { location: '/front' } },
      { request: 'GET /front', body: PAGE },
      { request: 'GET /api/lamps', json: { ...lamps('Desk lamp', 'Floor lamp'), total: 2 } },
    ],
  })
})
afterAll(async () => {
  line.remove()
  await shop.stop()
})

const shell = (target: string, ...lines: string[]) =>
  line.gleaner(['shell', target], { env: shop.env, lines })
/** What the lines print, after the list of the cassette's answers. */
const outputOf = async (...lines: string[]) => {
  const { out } = await shell(cassette, ...lines)
  return out.split('\n').slice(3).join('\n').trimEnd()
}

describe('a cassette', () => {
  test('is listed, and its first answer with a body is the current one', async () => {
    const { code, out } = await shell(cassette, `$('title').textContent`)
    expect(out.split('\n')).toEqual([
      '0  GET /old  301  empty',
      expect.stringMatching(/^1 {2}GET \/front {2}200 {2}page, \d+ B$/),
      expect.stringMatching(/^2 {2}GET \/api\/lamps {2}200 {2}JSON, \d+ B$/),
      `'Lamps'`,
      '',
    ])
    expect(code).toBe(0)
  })

  test('has its answers by number', async () => {
    expect(await outputOf('use(2)', 'json.total')).toMatch(/^GET \/api\/lamps .*\n2$/)
    expect((await shell(cassette, 'use(9)')).err).toContain('there is no answer 9: see answers\n')
  })

  test('belongs to its source, whose paths can be requested', async () => {
    shop.requested.length = 0
    expect(await outputOf(`await fetch('/api/lamps?q=x')`, 'answers.length')).toMatch(
      /^GET https:\/\/www\.lamps\.example\/api\/lamps\?q=x {2}200 {2}JSON, \d+ B\n4$/,
    )
    expect(shop.requested).toEqual(['/api/lamps?q=x'])
  })
})

describe('an expression that finds something prints the line for a plugin', () => {
  const cases: [entry: string, printed: string[]][] = [
    [`at(json, 'total')`, ['2', `  // const total = integerOrNull(at(json, 'total'))`]],
    [
      `at(json, 'lamps', 1, 'price', 'amount')`,
      [`'8.50'`, `  // const rows = listAt(json, 'lamps')`, `  // amount: field.number('price.amount'),`],
    ],
    [`listAt(json, 'lamps').length`, ['2']],
    [
      `paths('AMOUNT')`,
      [
        'lamps[].price.amount  2 of 2  string  "7.50"',
        `  // const rows = listAt(json, 'lamps')`,
        `  // amount: field.number('price.amount'),`,
      ],
    ],
    [
      'paths(/^Floor/)',
      [
        'lamps[].title  1 of 2  string  "Floor lamp"',
        `  // const rows = listAt(json, 'lamps')`,
        `  // title: field.text('title'),`,
      ],
    ],
    [`paths('sold')`, ['nothing matches']],
    [`const lamp = json.lamps[0]; lamp.id`, []],
  ]
  for (const [entry, printed] of cases)
    test(entry, async () => {
      expect((await outputOf('void use(2)', entry)).split('\n').filter(Boolean)).toEqual(printed)
    })

  const pages: [entry: string, printed: string[]][] = [
    [
      `$('h1.head')`,
      [
        '<h1 class="head">Two lamps</h1>',
        `  // const head = textOrNull(document.querySelector('h1.head')?.textContent)`,
      ],
    ],
    [
      `$$('.lamp-card')`,
      [
        '0  <li class="lamp-card">Desk</li>',
        '1  <li class="lamp-card">Floor</li>',
        `  // const lampCards = [...document.querySelectorAll('.lamp-card')]`,
      ],
    ],
    [`$('.nothing')`, ['null']],
    [
      `jsonAfter(html, 'window.shop =')`,
      [`{ lamps: [ { id: 7, name: 'Desk lamp' } ] }`, `  // const state = jsonAfter(html, 'window.shop =')`],
    ],
    [
      `paths('name')`,
      [
        'window.shop lamps[].name  1 of 1  string  "Desk lamp"',
        `  // const state = jsonAfter(html, 'window.shop =')`,
        `  // const rows = listAt(state, 'lamps')`,
        `  // name: field.text('name'),`,
      ],
    ],
    [`dom('<b>x</b>').querySelector('b')`, ['<b>x</b>']],
  ]
  for (const [entry, printed] of pages)
    test(entry, async () => {
      // Runtimes break objects into lines differently.
      const lines = (await outputOf(entry)).replace(
        /\{\n?\s*lamps: \[[^\]]*\][^}]*\}/,
        `{ lamps: [ { id: 7, name: 'Desk lamp' } ] }`,
      )
      expect(lines.split('\n')).toEqual(printed)
    })
})

describe('entries', () => {
  test('use await, keep the names that they declare, and have the whole kit', async () => {
    const printed = await outputOf(
      'void use(2)',
      'let { lamps } = json',
      'const Lamp = Type.Object({ title: field.text("title") }), read = reader(Lamp)',
      'function double(n) { return 2 * n }',
      'const two = await Promise.resolve(1) + 1',
      'for (const lamp of lamps) lamp.seen = true',
      '[lamps.map(read)[1].title, double(two), lamps[0].seen, textOf("a &amp; b")].join()',
    )
    expect(printed.split('\n').at(-1)).toBe(`'Floor lamp,4,true,a & b'`)
  })

  test('go over several lines while a bracket is open, and an empty line ends them', async () => {
    expect(await outputOf('[1, // one', '  2,', '].length')).toBe('2')
    expect(await outputOf("'(' + ')'")).toBe(`'()'`)
    const { err } = await shell(cassette, '(1,', '', '1')
    expect(err.split('\n').length).toBe(3)
  })

  test('go over several lines while an operand is missing', async () => {
    expect(await outputOf('1 +', '2')).toBe('3')
    expect(await outputOf('const three = await', 'Promise.resolve(3)', 'three')).toBe('3\n3')
    expect((await shell(cassette, '1 +', '', '1')).err).toStartWith('the entry is not complete\n')
  })

  test('that give something large print a summary', async () => {
    expect(await outputOf('document')).toBe('document "Lamps", 6 elements: see html, $(css) and $$(css)')
    expect(await outputOf('await import("node:fs/promises")')).toMatch(/^module with .*readFile, .*$/)
    const many = await outputOf('Object.fromEntries(Array.from({ length: 200 }, (_, i) => ["field" + i, i]))')
    expect(many.split('\n')).toHaveLength(61)
    expect(many).toMatch(/\n… \d+ lines in total$/)
    expect(await outputOf('$("h1").firstChild')).toBe('Two lamps')
  })

  test('that fail print one line each, do not end the shell, and are counted at the end', async () => {
    const { code, out, err } = await shell(
      cassette,
      'nothing.here',
      'throw new Error("one\\ntwo")',
      '1 +* 2',
      `await fetch('/\\u0000', { body: 'x' })`,
      '40 + 2',
    )
    const lines = err
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('Requests to '))
    expect(lines.slice(0, 2)).toEqual(['nothing is not defined: help() lists what there is', 'one two'])
    expect(lines).toHaveLength(5)
    expect(lines.at(-1)).toBe('gleaner: 4 lines failed')
    expect(out).toContain('\n42\n')
    expect(code).toBe(1)
  })

  test('print no control characters of a site', async () => {
    const out = await outputOf(
      "dom('<p title=\"\\x1b[31m\">\\x1b]0;owned\\x07</p>').querySelector('p')",
      "'\\x1b[2J'.repeat(100)",
      "({ text: '\\x1b[2J' })",
    )
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  test('end with .exit', async () => {
    expect(await outputOf('1', '.exit', '2')).toBe('1')
  })
})

describe('a URL', () => {
  test('of a source is requested as its runs do, and any status is an answer', async () => {
    const { code, out, err } = await shell('https://www.lamps.example/gone', 'html', 'await fetch("/gone")')
    expect(out).toBe(
      "GET https://www.lamps.example/gone  404  text, 12 B\n'no such page'\nGET https://www.lamps.example/gone  404  text, 12 B\n",
    )
    expect(err).toBe(`Requests to https://www.lamps.example are sent to ${shop.env.SOURCE_LAMPS_ORIGIN}\n`)
    expect(code).toBe(0)
  })

  const refused: [target: string, code: number, said: string][] = [
    [
      'http://127.0.0.1:80/x',
      1,
      '127.0.0.1 is not requested: an IP address in place of a host name. Only public',
    ],
    ['http://[::1]/x', 1, 'set SOURCE_<FAMILY>_ORIGIN to its address'],
    [
      'http://localhost:80/x',
      1,
      'localhost is not requested: localhost resolves to an address that is not public. Only',
    ],
    ['nowhere.json', 2, '"nowhere.json" is neither a URL nor a file: begin a URL with https://'],
    ['package.json', 2, 'package.json is not a cassette: '],
  ]
  for (const [target, expected, said] of refused)
    test(`${target} is refused`, async () => {
      const { code, err } = await shell(target)
      expect(err).toContain(said)
      expect(code).toBe(expected)
    })
})
