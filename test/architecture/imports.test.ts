import { describe, expect, test } from 'bun:test'
import { names, type Room, readRooms, roomOf } from './rooms.ts'
import { codeOf, type Import, importsOf, sourcesIn, targetOf } from './sources.ts'

const rooms = readRooms()
const files = sourcesIn('src', 'projections', 'plugins', 'tools')
const imports = files.flatMap(importsOf)
const isRelative = ({ specifier }: Import) => specifier.startsWith('.')
const shown = ({ of, specifier }: Import) => `${of}: ${specifier}`

/** Files that import only one another, so every other room may import them, except APART_FROM_COMMON. */
const COMMON = [
  'src/async/abort.ts',
  'src/async/batches.ts',
  'src/async/bell.ts',
  'src/async/clock.ts',
  'src/async/delay.ts',
  'src/async/keyed-mutex.ts',
  'src/async/once-more.ts',
  'src/async/repeat.ts',
  'src/async/retry.ts',
  'src/async/timers.ts',
  'src/bounded-cache.ts',
  'src/config.ts',
  'src/config/machine.ts',
  'src/config/setting.ts',
  'src/config/sources.ts',
  'src/config/ways.ts',
  'src/config/without-effect.ts',
  'src/html.ts',
  'src/logger.ts',
  'src/random.ts',
  'src/schema.ts',
  'src/version.ts',
]
const PURE = ['src/domain/', 'projections/']
const APART_FROM_COMMON = [...PURE, 'src/plugin.ts', 'src/plugin/', 'plugins/']
/** The one common file for these rooms too: it is pure. */
const SCHEMA = 'src/schema.ts'
const startsWithOne = (path: string, prefixes: readonly string[]) => prefixes.some((p) => path.startsWith(p))

function mayImport(from: Room, to: Room, { typeOnly }: Import): boolean {
  if (from === to || from.imports === 'everything') return true
  return names(from.imports, to) || (typeOnly && names(from.types, to))
}

describe('the table of rooms in docs/architecture.md', () => {
  test('has a room for every source file', () => {
    const homeless = files.filter(({ path }) => !COMMON.includes(path) && !roomOf(rooms, path))
    expect(homeless.map(({ path }) => path)).toEqual([])
  })

  test('allows every import', () => {
    const wrong = imports.filter((line) => {
      if (!isRelative(line)) return false
      const target = targetOf(line)
      if (COMMON.includes(line.of)) return !COMMON.includes(target)
      if (COMMON.includes(target)) return target !== SCHEMA && startsWithOne(line.of, APART_FROM_COMMON)
      const [from, to] = [roomOf(rooms, line.of), roomOf(rooms, target)]
      return !from || !to || !mayImport(from, to, line)
    })
    expect(wrong.map(shown)).toEqual([])
  })

  test('is parsed correctly: a forbidden import would be found', () => {
    const [domain, log, worker] = ['src/domain/run.ts', 'src/log/execute.ts', 'src/worker/x.ts'].map(
      (path) => roomOf(rooms, path) as Room,
    )
    const line = { of: '', specifier: '', typeOnly: false, lazy: false }
    expect(mayImport(domain!, log!, line)).toBe(false)
    expect(mayImport(log!, domain!, line)).toBe(true)
    expect(mayImport(log!, worker!, line)).toBe(false)
    const [read] = [roomOf(rooms, 'src/read/read-models.ts') as Room]
    const projections = roomOf(rooms, 'projections/all.ts') as Room
    expect(mayImport(projections, read, line)).toBe(false)
    expect(mayImport(projections, read, { ...line, typeOnly: true })).toBe(true)
  })
})

test('nothing imports main.ts', () => {
  expect(imports.filter((line) => isRelative(line) && targetOf(line) === 'src/main.ts').map(shown)).toEqual(
    [],
  )
})

test('only src/main.ts imports tools, whose commands import each tool when it is called', () => {
  const toTools = imports.filter((line) => isRelative(line) && targetOf(line).startsWith('tools/'))
  const fromOutside = toTools.filter(({ of }) => !of.startsWith('tools/'))
  expect(fromOutside.map(shown)).toEqual(['src/main.ts: ../tools/commands.ts'])
  const commands = toTools.filter(({ of, typeOnly }) => of === 'tools/commands.ts' && !typeOnly)
  expect(commands.length).toBeGreaterThan(0)
  expect(commands.filter(({ lazy }) => !lazy).map(shown)).toEqual([])
})

test('only src/stores.ts, src/main.ts and adapters import adapters', () => {
  const adapter =
    /^src\/((log|read|ephemeral|signin|webhooks\/deliveries|runs\/items|artifacts|vault)\/(sqlite|eventstore|redis|s3)\b|redis\/)/
  const wrong = imports.filter(
    (line) =>
      isRelative(line) &&
      adapter.test(targetOf(line)) &&
      !adapter.test(line.of) &&
      line.of !== 'src/stores.ts' &&
      line.of !== 'src/main.ts',
  )
  expect(wrong.map(shown)).toEqual([])
})

test('plugins import only gleaner/plugin, gleaner/plugin/testing and their own folder', () => {
  const wrong = imports.filter((line) => {
    if (!line.of.startsWith('plugins/')) return false
    const folder = line.of.split('/').slice(0, 2).join('/')
    if (isRelative(line)) return !targetOf(line).startsWith(`${folder}/`)
    return !['gleaner/plugin', 'gleaner/plugin/testing'].includes(line.specifier)
  })
  expect(wrong.map(shown)).toEqual([])
})

test('imports name relative .ts or .json files, node: modules, or packages of package.json', async () => {
  const { default: manifest } = await import('../../package.json')
  const packages = [...Object.keys(manifest.dependencies), manifest.name]
  const wrong = imports.filter((line) => {
    if (isRelative(line)) return !/\.(ts|json)$/.test(line.specifier)
    return (
      !line.specifier.startsWith('node:') &&
      !startsWithOne(
        `${line.specifier}/`,
        packages.map((p) => `${p}/`),
      )
    )
  })
  expect(wrong.map(shown)).toEqual([])
})

describe('domain, projections and schema.ts are pure', () => {
  const IMPURE = {
    waiting: /\bawait\b|\basync\b|\bPromise\b|\bsetTimeout\b/,
    'a clock': /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\b/,
    chance: /\bMath\.random\b|\brandom(Bytes|UUID|Int)\b|\bcrypto\b/,
    'the environment': /\bprocess\b/,
  }
  for (const [what, pattern] of Object.entries(IMPURE)) {
    test(`domain, projections and schema.ts use no ${what.replace(/^(a|the) /, '')}`, () => {
      const impure = files.filter(
        ({ path, code }) => startsWithOne(path, [...PURE, SCHEMA]) && pattern.test(code),
      )
      expect(impure.map(({ path }) => path)).toEqual([])
    })
  }

  test('domain and projections import no module of the runtime', () => {
    const wrong = imports.filter((line) => startsWithOne(line.of, PURE) && line.specifier.includes(':'))
    expect(wrong.map(shown)).toEqual([])
  })

  test('the patterns find impure code, and ignore strings and comments', () => {
    const impure = [
      "const x = 'Date.now()' // Math.random",
      'const t = new Date( ), u = process.env.X',
      'await f(Math.random())',
    ].join('\n')
    const code = codeOf(impure)
    expect(Object.values(IMPURE).map((pattern) => pattern.test(code))).toEqual([true, true, true, true])
    expect(IMPURE['a clock'].test(codeOf("// new Date()\nconst a = 'Date.now'; new Date(1)"))).toBe(false)
  })
})

test('only src/main.ts names a runtime', () => {
  const runtime = /\b(Bun|Deno)\s*(\?\.|\.|\[)|\bglobalThis\s*(\.|as\b)[^\n]*\b(Bun|Deno)\b/
  const wrong = files.filter(({ path, code }) => path !== 'src/main.ts' && runtime.test(code))
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('only log/execute.ts appends', () => {
  const appends = files.filter(({ code }) => /\b(log|eventLog)\s*\.append\(/.test(code))
  expect(appends.map(({ path }) => path)).toEqual(['src/log/execute.ts'])
})

test('only src/read writes read models', () => {
  const writes = files.filter(({ code }) => /\b(readModels|models)\s*\.(commit|reset)\(/.test(code))
  const outside = writes.filter(({ path }) => !path.startsWith('src/read/'))
  expect(outside.map(({ path }) => path)).toEqual([])
  expect(writes.length).toBeGreaterThan(0)
})

test('no source file is longer than 300 lines', () => {
  const long = files.filter(({ text }) => text.split('\n').length - 1 > 300)
  expect(long.map(({ path, text }) => `${path}: ${text.split('\n').length - 1}`)).toEqual([])
})
