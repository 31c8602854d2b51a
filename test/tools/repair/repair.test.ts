import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import type { Cassette } from '../../../src/plugin/testing.ts'
import { type CommandLine, commandLine } from '../../cli/command-line.ts'

const folder = temporaryFolder()
const pristine = join(folder, 'lamps')
let line: CommandLine
beforeAll(async () => {
  line = await commandLine()
  await line.gleaner(['new-source', 'lamps', '--to', folder])
})
afterAll(() => line.remove())

let names = 0
const freshName = (what: string) => join(folder, `${what}-${++names}`)

/** PLUGINS_DIR with the plugin, its parser changed. This process loads each file once, so each parser has a folder. */
function pluginsWith(...edits: readonly (readonly [from: string, to: string])[]): string {
  const plugins = freshName('plugins')
  mkdirSync(plugins)
  cpSync(pristine, join(plugins, 'lamps'), { recursive: true })
  const file = join(plugins, 'lamps', 'source.ts')
  let text = readFileSync(file, 'utf8')
  for (const [from, to] of edits) {
    expect(text).toContain(from)
    text = text.replace(from, to)
  }
  writeFileSync(file, text)
  return plugins
}

const repair = (plugins: string, ...words: string[]) =>
  line.gleaner(['repair', 'lamps.search', ...words], { env: { PLUGINS_DIR: plugins } })

const check = (plugins: string, to: string) => repair(plugins, '--check', to)

/** The plugin's recording as its site answers after a change. */
function changed(change: (cassette: Cassette) => Cassette): string {
  const file = `${freshName('broken')}.json`
  const recording = JSON.parse(readFileSync(join(pristine, 'fixtures', 'search.json'), 'utf8')) as Cassette
  writeFileSync(file, JSON.stringify(change(recording)))
  return file
}

/** Renames a field in all answers. */
const renaming = (from: string, to: string) => (cassette: Cassette) =>
  JSON.parse(JSON.stringify(cassette).replaceAll(`"${from}":`, `"${to}":`)) as Cassette

/** Writes the folder of a repair with the parser as it was. */
async function repairOf(change: (cassette: Cassette) => Cassette) {
  const to = freshName('repair')
  const written = await repair(pluginsWith(), '--from', changed(change), '--to', to)
  expect(written.code).toBe(0)
  return { ...written, to, read: (name: string) => readFileSync(join(to, name), 'utf8') }
}

const TITLE = `field.text('title')`
const ROWS = `listAt(json, 'results').map((entry) => itemOf(entry, origin))`
const DESCRIPTION = `field.plain('description', 'Plain text.')`

describe('when a source has renamed a required field', () => {
  const ways: [name: string, edits: [from: string, to: string][], missing: RegExp][] = [
    ['that is as before', [], /^capture\.json +succeeds +source-changed: an entry has no title$/m],
    [
      'that reads the new name alone',
      [[TITLE, `field.text('name')`]],
      /^fixtures\/search\.json +gives what it gave before +source-changed: an entry has no title$/m,
    ],
    [
      'that gives null for the field',
      [[`field.required(${TITLE}, 'an entry has no title')`, TITLE]],
      /^capture\.json, title +a value in 50 % of items \(usually 100 %\) +0 % of 3$/m,
    ],
    ['that gives no items', [[ROWS, '[]']], /^capture\.json +succeeds with items +no items$/m],
    [
      'that changes another field of old items',
      [
        [TITLE, `field.text(['title', 'name'])`],
        [DESCRIPTION, `field.plain('description.text', 'Plain text.')`],
      ],
      /^fixtures\/search\.json .* items\[0\]\.description: "Bright & bendable", now null$/m,
    ],
    [
      'whose items do not match their schema',
      [[TITLE, `field.value(Type.Union([Type.String({ minLength: 99 }), Type.Null()]), () => 'x')`]],
      /^capture\.json +succeeds +output-invalid: /m,
    ],
  ]
  test.each(ways)('a parser %s is not accepted, and what it lacks is said', async (_, edits, missing) => {
    const { to } = await repairOf(renaming('title', 'name'))
    const { code, out, err } = await check(pluginsWith(...edits), to)
    expect([code, out]).toEqual([1, expect.stringMatching(missing)])
    expect(err).toMatch(/not accepted: \d of \d checks fail/)
  })

  test('a parser that reads both names is accepted, and the next steps are said', async () => {
    const { to } = await repairOf(renaming('title', 'name'))
    const { code, out, err } = await check(pluginsWith([TITLE, `field.text(['title', 'name'])`]), to)
    expect([code, out]).toEqual([0, 'accepted: 2 checks hold\n'])
    expect(err).toContain(`1. Move ${to}/capture.json to the plugin's fixtures`)
    expect(err).toContain(`2. Remove ${to}`)
  })

  test('a parser is accepted though the captured page names a next one that has no answer', async () => {
    const { to } = await repairOf((cassette) => {
      const first = renaming('title', 'name')(cassette)
      return { ...first, exchanges: first.exchanges.slice(0, 1) }
    })
    const { code, out } = await check(pluginsWith([TITLE, `field.text(['title', 'name'])`]), to)
    expect([code, out]).toEqual([0, 'accepted: 2 checks hold\n'])
  })

  test('the README says what failed, what changed, which line reads it and how it is judged', async () => {
    const { read, to, err } = await repairOf(renaming('title', 'name'))
    const text = read('README.md')
    expect(text).toContain('It ended as `source-changed`')
    expect(text).toContain('> an entry has no title\n')
    expect(text).toMatch(
      /gone: results\[\]\.title \(string\); its new name may be results\[\]\.name {2}<- source\.ts:\d+`/,
    )
    expect(text).toContain(`repair lamps.search --check ${to}\n`)
    expect(err).toContain(`repair lamps.search --check ${to}\n`)
    expect(read('difference.txt')).toContain('GET /api/search\n  gone: results[].title')
  })

  test('the test in the folder fails as the run did', async () => {
    const { to } = await repairOf(renaming('title', 'name'))
    const ran = Bun.spawnSync([process.execPath, 'test', to])
    expect([ran.exitCode, ran.stderr.toString()]).toEqual([1, expect.stringContaining('source-changed')])
  })
})

describe('when runs succeed without the values of a field', () => {
  test('the field is named with its usual share, and must be back', async () => {
    const { to, read } = await repairOf(renaming('description', 'text'))
    expect(read('README.md')).toContain(
      '| `description` | a value in 33 % of items (usually 67 %) | 0 % of 3 |',
    )
    const before = await check(pluginsWith(), to)
    expect([before.code, before.out]).toEqual([1, expect.stringMatching(/^capture\.json, description /m)])
    const after = await check(pluginsWith([DESCRIPTION, `field.plain(['description', 'text'])`]), to)
    expect([after.code, after.out]).toEqual([0, 'accepted: 2 checks hold\n'])
  })

  test('a capture of the same fault that was saved in fixtures need not give what it gives today', async () => {
    const plugins = pluginsWith()
    const captured = join(plugins, 'lamps', 'fixtures', 'captured')
    mkdirSync(captured)
    const broken = changed(renaming('description', 'text'))
    cpSync(broken, join(captured, 'search-2026-11-29-abc123.json'))
    const to = freshName('repair')
    await repair(plugins, '--from', broken, '--to', to)
    const { code, out } = await check(pluginsWith([DESCRIPTION, `field.plain(['description', 'text'])`]), to)
    expect([code, out]).toEqual([0, 'accepted: 2 checks hold\n'])
  })

  test('the test in the folder fails for the field', async () => {
    const { to } = await repairOf(renaming('description', 'text'))
    const ran = Bun.spawnSync([process.execPath, 'test', to])
    expect([ran.exitCode, ran.stderr.toString()]).toEqual([1, expect.stringContaining('description')])
  })
})

test('a recording that was changed since is refused, even if the parser reads it', async () => {
  const { to } = await repairOf(renaming('title', 'name'))
  const plugins = pluginsWith([TITLE, `field.text(['title', 'name'])`])
  appendFileSync(join(plugins, 'lamps', 'fixtures', 'search.json'), '\n')
  const { code, out } = await check(plugins, to)
  expect([code, out]).toEqual([1, expect.stringContaining('the file was changed: restore it')])
})

test('a capture without the first answers of its run gets them from the old recording, and says so', async () => {
  const { read, to } = await repairOf((cassette) => {
    const whole = renaming('title', 'name')(cassette)
    return { ...whole, exchanges: whole.exchanges.slice(1) }
  })
  const { note, exchanges } = JSON.parse(read('capture.json')) as Cassette
  expect(note).toContain('From an old recording: GET /api/search.')
  expect(exchanges.map(({ request }) => request)).toEqual(['GET /api/search?page=2', 'GET /api/search'])
  const { code } = await check(pluginsWith([TITLE, `field.text(['title', 'name'])`]), to)
  expect(code).toBe(0)
})

describe('no folder is written', () => {
  test('over an existing one', async () => {
    const to = freshName('mine')
    mkdirSync(to)
    const { code, err } = await repair(
      pluginsWith(),
      '--from',
      changed(renaming('title', 'name')),
      '--to',
      to,
    )
    expect([code, err]).toEqual([1, expect.stringContaining('already exists: choose another with --to')])
    expect(readdirSync(to)).toEqual([])
  })

  test('when the parser reads the run with all its fields', async () => {
    const to = freshName('none')
    const { code, err } = await repair(
      pluginsWith(),
      '--from',
      changed((same) => same),
      '--to',
      to,
    )
    expect([code, err, existsSync(to)]).toEqual([
      1,
      expect.stringContaining('there is nothing to repair'),
      false,
    ])
  })

  test('for a recording of another task, or one that does not exist', async () => {
    const to = freshName('none')
    const other = changed((cassette) => ({ ...cassette, task: 'chairs.search' }))
    const refused = await repair(pluginsWith(), '--from', other, '--to', to)
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('is a recording of chairs.search, not of lamps.search'),
    ])
    const missing = await repair(pluginsWith(), '--from', `${other}.none`, '--to', to)
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('there is no such file')])
    expect(existsSync(to)).toBe(false)
  })
})

test('options that exclude each other, and captures that do not exist, are refused', async () => {
  const both = await repair(pluginsWith(), '--capture', 'cap_x', '--from', 'x.json')
  expect([both.code, both.err]).toEqual([2, expect.stringContaining('cannot be used with')])
  const none = await repair(pluginsWith(), '--capture', 'cap_x', '--to', freshName('none'))
  expect([none.code, none.err]).toEqual([
    1,
    expect.stringContaining('Unknown capture cap_x: "gleaner captures'),
  ])
})

test('a folder that is no repair is refused with what to do', async () => {
  const { code, err } = await check(pluginsWith(), folder)
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('write the folder again with "gleaner repair lamps.search"'),
  ])
})
