import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { readCassette } from '../../../src/plugin/testing.ts'
import { type CommandLine, commandLine } from '../../cli/command-line.ts'
import { type LampShop, lamps, startLampShop } from '../lamp-shop.ts'

const folder = temporaryFolder()
let line: CommandLine
let shop: LampShop
beforeAll(async () => {
  line = await commandLine()
  shop = await startLampShop(folder)
})
afterAll(async () => {
  line.remove()
  await shop.stop()
})

const today = new Date().toISOString().slice(0, 10)
const search = (json: unknown) => ({
  task: 'lamps.search',
  input: { query: 'desk' },
  note: 'Recorded on 2026-01-31.',
  exchanges: [{ request: 'GET /api/lamps?q=desk', json }],
})
const old = search(lamps('Desk lamp', 'Floor lamp'))
const refresh = (...words: string[]) => line.gleaner(['record', '--refresh', ...words], { env: shop.env })
const noteOf = (file: string) => readCassette(pathToFileURL(file)).note

let file: string
beforeEach(() => {
  rmSync(join(shop.folder, 'fixtures'), { recursive: true })
  file = shop.cassette('search.json', old)
  shop.requested.length = 0
})

describe('a cassette is replaced', () => {
  test('dated today, when nothing changed', async () => {
    shop.answers.set('/api/lamps', lamps('Desk lamp', 'Floor lamp'))
    const { code, out } = await refresh('lamps')
    expect(out).toContain('2 items\n  the same: dated today\n')
    expect(readFileSync(file, 'utf8')).toContain(`"note": "Recorded on ${today}."`)
    expect(readCassette(pathToFileURL(file)).exchanges).toEqual(old.exchanges)
    expect(code).toBe(0)
  })

  test('with what changed in its items and in the shape of its answers', async () => {
    const [desk, floor] = lamps('Desk lamp', 'Floor lamp, tall').lamps
    shop.answers.set('/api/lamps', {
      lamps: [
        { ...desk, sold: false },
        { ...floor, price: null },
      ],
      total: 2,
    })
    const { code, out } = await refresh('lamps.search')
    const lines = out.split('\n').slice(1, 10)
    expect(lines).toEqual([
      '  2 items',
      '  price: a value in 50 % of the items, was 100 %',
      '  title: another value in 1 of 2 items with the same id, such as "Floor lamp, tall", was "Floor lamp" ("2")',
      '  GET /api/lamps',
      '    new: lamps[].sold (boolean, in 50 %)',
      '    new: total (number)',
      '  replaced: see the changes',
      '',
    ])
    expect(noteOf(file)).toBe(`Recorded on ${today}.`)
    expect(code).toBe(0)
  })

  test('by --force although its items lost values', async () => {
    shop.answers.set('/api/lamps', { lamps: lamps('Desk lamp').lamps.map(({ id }) => ({ id })) })
    expect((await refresh(file, '--force')).code).toBe(0)
    expect(noteOf(file)).toBe(`Recorded on ${today}.`)
  })

  test('not in a dry run, which shows the same', async () => {
    shop.answers.set('/api/lamps', lamps('Desk lamp'))
    const { code, out } = await refresh('lamps', '--dry-run')
    expect(out).toContain('1 item, was 2\n')
    expect(out).toContain('would be replaced: see the changes\n')
    expect(noteOf(file)).toBe(old.note)
    expect(code).toBe(0)
  })

  test('not in a dry run when nothing changed', async () => {
    shop.answers.set('/api/lamps', lamps('Desk lamp', 'Floor lamp'))
    const { out } = await refresh('lamps', '--dry-run')
    expect(out).toContain('2 items\n  the same: would be dated today\n')
    expect(noteOf(file)).toBe(old.note)
  })
})

describe('a cassette is kept, and the exit code is 1', () => {
  const cases: [what: string, answer: unknown, why: string][] = [
    ['the run fails', { wares: [] }, 'kept: source-changed: the response has no list at lamps\n'],
    ['the run has no items', { lamps: [] }, 'kept: the run has no items\n'],
    [
      'a field lost more than half of its values',
      { lamps: [1, 2, 3].map((id) => ({ id, title: id === 1 ? 'Desk lamp' : null, price: { amount: 7 } })) },
      'kept: title has a value in 33 % of the items, was 100 %\n',
    ],
  ]
  for (const [what, answer, why] of cases)
    test(`when ${what}`, async () => {
      shop.answers.set('/api/lamps', answer)
      const { code, out } = await refresh('lamps')
      expect(out).toContain(why)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(old)
      expect(code).toBe(1)
    })

  test('when its input is no longer valid', async () => {
    shop.cassette('search.json', { ...old, input: { query: 'desk', limit: 5000 } })
    const { code, out } = await refresh('lamps.search', '--force')
    // A cassette with an input that the task refuses does not replay either.
    expect(out).toContain('left out: its run ends as bad-input: name the file to refresh it\n')
    expect(code).toBe(0)
    expect((await refresh(file)).out).toContain('kept: its input is no longer valid: /limit must be')
  })
})

describe('a cassette of a failure', () => {
  const gone = { ...search({ message: 'moved' }), note: 'A page without its list.' }

  test('is left out of a source, and is no reason for an exit code', async () => {
    shop.cassette('search.json', gone)
    shop.cassette('failures/gone.json', gone)
    const { code, out } = await refresh('lamps')
    expect(out).toContain('left out: its run ends as source-changed: name the file to refresh it\n')
    expect(out).not.toContain('gone.json')
    expect([code, shop.requested]).toEqual([0, []])
  })

  test('is replaced when it is named and the run fails the same way today', async () => {
    const named = shop.cassette('failures/gone.json', gone)
    shop.answers.set('/api/lamps', { message: 'moved again' })
    expect((await refresh(named)).code).toBe(0)
    expect(noteOf(named)).toBe(`Recorded on ${today}.`)
    shop.answers.set('/api/lamps', lamps('Desk lamp'))
    const { code, out } = await refresh(named)
    expect(out).toContain(
      'kept: the run succeeds today, and the cassette holds a run that ends as source-changed\n',
    )
    expect(code).toBe(1)
  })
})

test('a cassette of a run with a login is left out', async () => {
  shop.cassette('search.json', { ...old, signedIn: true })
  const { code, out } = await refresh('lamps')
  expect(out).toContain('left out: its run has a login, which only a service has\n')
  expect([code, shop.requested]).toEqual([0, []])
})

test('several end with a table of their ages, items and results', async () => {
  shop.cassette('floor.json', {
    ...old,
    input: { query: 'floor' },
    note: 'Sample data.',
    exchanges: [{ request: '/api/lamps', json: lamps('Floor lamp') }],
  })
  shop.answers.set('/api/lamps', lamps('Desk lamp', 'Floor lamp'))
  const { out } = await refresh('lamps')
  const table = out.trimEnd().split('\n').slice(-3)
  const days = Math.round(
    (Date.parse(`${today}T12:00:00Z`) - Date.parse('2026-01-31T12:00:00Z')) / 86_400_000,
  )
  expect(table.map((row) => row.replace(/^\S+\/fixtures\//, '').split(/ {2,}/))).toEqual([
    ['CASSETTE', 'DAYS OLD', 'ITEMS', 'NOW', 'RESULT'],
    ['floor.json', '-', '1', '2', 'changed'],
    [
      'search.json',
      expect.stringMatching(new RegExp(`^(?:${days}|${days - 1}|${days + 1})$`)),
      '2',
      '2',
      'same',
    ],
  ])
})

test('a cassette has all answers that its run needs, whatever earlier runs have read', async () => {
  shop.answers.set('/', 'Good evening')
  const exchanges = [{ request: 'GET /', body: 'Good evening' }]
  for (const name of ['one.json', 'two.json'])
    shop.cassette(name, { task: 'lamps.greeting', input: {}, exchanges })
  const { code, out } = await refresh('lamps.greeting')
  expect(out.match(/the same: dated today/g)).toHaveLength(2)
  expect(code).toBe(0)
})

test('Ctrl-C keeps the cassette under way and those after it', async () => {
  shop.cassette('second.json', old)
  shop.answers.set('/api/lamps', lamps('Desk lamp'))
  const stop = new AbortController()
  const { code, err } = await line.gleaner(['record', '--refresh', 'lamps'], {
    env: shop.env,
    signal: stop.signal,
    hear: (text) => text.includes('replaced') && stop.abort(),
  })
  expect(err).toContain('stopped: 1 cassette left\n')
  expect(noteOf(join(shop.folder, 'fixtures', 'second.json'))).toBe(old.note)
  expect(code).toBe(1)
})

describe('wrong arguments are refused before any request', () => {
  const cases: [words: string[], said: string][] = [
    [[], '--refresh takes a source, a pattern of tasks, or a file; or --all for all of them'],
    [['lamps', '--all'], '--refresh takes a source'],
    [['lampz'], 'no file, source or task is named "lampz"; did you mean "lamps"?'],
    [['nowhere.json'], 'nowhere.json cannot be read as a cassette: there is no such file'],
    [[import.meta.dirname], 'cannot be read as a cassette: it is a folder'],
    [['lamps', '--to', 'x.json', '--json'], '--refresh does not go with --to or --json'],
  ]
  for (const [words, said] of cases)
    test(words.join(' ') || 'none', async () => {
      const { code, err } = await refresh(...words)
      expect(err).toContain(said)
      expect([code, shop.requested]).toEqual([2, []])
    })

  for (const [words, said] of [
    [[], 'name a task, or refresh cassettes with --refresh'],
    [['lamps.search', '--dry-run'], '--dry-run belongs to --refresh'],
    [['--all'], '--all belongs to --refresh'],
  ] as const)
    test(`without --refresh: ${words.join(' ') || 'none'}`, async () => {
      const { code, err } = await line.gleaner(['record', ...words], { env: shop.env })
      expect(err).toContain(said)
      expect([code, shop.requested]).toEqual([2, []])
    })
})
