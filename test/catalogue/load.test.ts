import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { SourceError } from '../../src/plugin.ts'

const project = realpathSync(fileURLToPath(new URL('../..', import.meta.url)))
let folder = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'gleaner-load-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const load = (folders: string[], pluginsDir: string | null = null) =>
  loadCatalogue({ folders, config: { pluginsDir, runLimitS: 300 } })

function plugin(name: string, source: string): void {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'source.ts'), source)
}

/** The source of a plugin that works unless `task` or `before` breaks it. */
const working = (name: string, task = '', before = ''): string => `
import { defineSource, defineTask, NotFound, Query, Type } from 'gleaner/plugin'
${before}
export const search = defineTask({
  key: '${name}.search', path: '/v1/${name}/search', title: 'Search', description: 'Things.', price: 2,
  input: Type.Object({ query: Query() }), item: Type.Object({ id: Type.String() }), example: { query: 'a' },
  ${task}
  async *run() { throw new NotFound('none') },
})
export default defineSource({ name: '${name}', title: 'X', origin: 'https://${name.replaceAll('_', '-')}.example', tasks: [search] })
`

describe('a folder outside the project', () => {
  test('loads, gets a link to the kit, and throws the error classes of the service', async () => {
    plugin('lamps', working('lamps'))
    const { tasks, failures } = await load([], folder)
    expect(failures).toEqual([])
    const [task] = tasks
    expect(task).toMatchObject({
      key: 'lamps.search',
      paths: ['/v1/lamps/search'],
      creditCost: 2,
      runLimitS: 300,
    })
    expect(realpathSync(join(folder, 'node_modules/gleaner'))).toBe(project)
    expect(task?.module).toEndWith('/lamps/source.ts')
    const run = task!.declaration.run({} as never, {}).next()
    expect(await run.catch((error: unknown) => error)).toBeInstanceOf(SourceError)
  })

  test('gets a new link when the old one is dangling', async () => {
    plugin('chairs', working('chairs'))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(join(folder, 'gone'), join(folder, 'node_modules/gleaner'))
    expect((await load([], folder)).tasks.length).toBe(1)
    expect(realpathSync(readlinkSync(join(folder, 'node_modules/gleaner')))).toBe(project)
  })

  test('with something else in place of the link is left alone, and the failure says how to fix it', async () => {
    plugin('tables', working('tables'))
    mkdirSync(join(folder, 'node_modules/gleaner'), { recursive: true })
    const { tasks, failures } = await load([], folder)
    expect(tasks).toEqual([])
    expect(failures[0]?.folder).toBe(folder)
    expect(failures[0]?.reason).toContain(`ln -sfn "${project}" "${join(folder, 'node_modules/gleaner')}"`)
  })

  test('without plugins is not touched, and a missing folder is reported', async () => {
    expect(await load([folder])).toMatchObject({ tasks: [], failures: [] })
    expect(existsSync(join(folder, 'node_modules'))).toBe(false)
    const { failures } = await load([], join(folder, 'missing'))
    expect(failures).toEqual([{ folder: join(folder, 'missing'), reason: 'the folder does not exist' }])
  })

  test('named twice is loaded once', async () => {
    plugin('once', working('once'))
    const { tasks, failures } = await load([folder, folder], folder)
    expect([tasks.length, failures.length]).toEqual([1, 0])
  })
})

describe('an unusable plugin is reported with its folder and the reason, and the others load', () => {
  const cases: [name: string, source: string, reason: string][] = [
    ['throws', working('throws', '', "throw new Error('no licence found')"), 'no licence found'],
    ['broken', 'export default {', ''],
    ['no_export', 'export const x = 1', 'default export'],
    ['no_kit', "export default { name: 'no_kit', tasks: [] }", 'default export'],
    ['bad_name', working('Bad'), 'task key "Bad.search"'],
    ['bad_path', working('bad_path', "path: '/v2/x',"), 'path "/v2/x"'],
    ['bad_param', working('bad_param', "path: '/v1/bad_param/:id',"), 'has :id, which is not an input field'],
    ['first_param', working('first_param', "path: '/v1/:query/x',"), 'path "/v1/:query/x"'],
    ['own_path', working('own_path', "path: '/v1/runs/search',"), 'is reserved for the service'],
    ['own_alias', working('own_alias', "aliases: ['/v1/tasks'],"), 'is reserved for the service'],
    ['bad_price', working('bad_price', 'price: 1.5,'), 'price of bad_price.search'],
    [
      'bad_block',
      working('bad_block', "price: { from: 2, words: 'each', of: () => 2, block: -0.5 },"),
      'price of bad_block.search must be a whole number of credits, not -0.5',
    ],
    [
      'no_of',
      working('no_of', "price: { from: 1, words: '1 each' },"),
      'price.of of no_of.search must be a function',
    ],
    ['no_title', working('no_title', 'title: undefined,'), 'title of no_title.search must be a text'],
    [
      'raw_input',
      working('raw_input', 'input: { query: Query() },'),
      'input of raw_input.search must be Type.Object',
    ],
    [
      'raw_item',
      working('raw_item', 'item: { id: Type.String() },'),
      'item of raw_item.search must be a schema',
    ],
    [
      'raw_extra',
      working('raw_extra', 'extra: { total: null },'),
      'extra field "total" of raw_extra.search must be a schema',
    ],
    [
      'own_extra',
      working('own_extra', 'extra: { next_cursor: Type.Optional(Type.String()) },'),
      'extra field "next_cursor" of own_extra.search is reserved',
    ],
    [
      'own_field',
      working('own_field', 'input: Type.Object({ _run: Type.Optional(Type.String()) }), example: {},'),
      'input field "_run" of own_field.search is reserved',
    ],
    [
      'no_limit',
      working('no_limit', 'limits: { run_s: Number.NaN },'),
      'limits.run_s of no_limit.search must be above 0, not NaN',
    ],
    [
      'no_memory',
      working('no_memory', 'limits: { memory_mb: 0 },'),
      'limits.memory_mb of no_memory.search must be above 0, not 0',
    ],
    [
      'no_star',
      working('no_star').replace('async *run', 'async run'),
      'run of no_star.search must be a generator: async *run(context, input)',
    ],
    [
      'bad_example',
      working('bad_example', 'example: {},'),
      'example of bad_example.search is not valid: /query',
    ],
    [
      'bad_canary',
      working('bad_canary', "canary: [{ query: 'b' }, { query: 1 }],"),
      'canary[1] of bad_canary.search is not valid: /query',
    ],
    [
      'one_canary',
      working('one_canary', "canary: { query: 'b' },"),
      'canary of one_canary.search must be a list of inputs',
    ],
    [
      'bad_summary',
      working('bad_summary', "summary: 'query',"),
      'summary of bad_summary.search must be a function',
    ],
    [
      'broken_summary',
      working('broken_summary', "summary() { throw new Error('an error') },"),
      'the summary of broken_summary.search fails for its example: an error',
    ],
    [
      'late_summary',
      working('late_summary', "summary: async () => 'x',"),
      'the summary of late_summary.search fails for its example: summary of late_summary.search must return a text',
    ],
    [
      'no_summary',
      working('no_summary', "summary: () => ' ',"),
      'the summary of no_summary.search is empty for its example',
    ],
    ['bad_extra', working('bad_extra', 'extra: { total: Type.Integer() },'), 'extra field "total"'],
    ['bad_key', working('bad_key', "key: 'other.search',"), 'must begin with "bad_key."'],
    [
      'plain_task',
      working('plain_task').replace('tasks: [search]', "tasks: [{ ...search, path: '/x' }]"),
      'path "/x" of plain_task.search',
    ],
    ['no_tasks', working('no_tasks').replace(', tasks: [search]', ''), 'tasks of no_tasks must be a list'],
    ['no_module', "import 'missing-module'\nexport default 1", 'missing-module'],
  ]
  test.each(cases)('%s', async (name, source, reason) => {
    plugin(name, source)
    plugin('zz_good', working('zz_good'))
    const { tasks, failures, get } = await load([folder])
    expect(tasks.map(({ key }) => key)).toEqual(['zz_good.search'])
    expect(get('zz_good.search')).toBe(tasks[0])
    expect(failures.map((failure) => failure.folder)).toEqual([join(folder, name)])
    expect(failures[0]?.reason).toContain(reason)
    expect(failures[0]?.reason).not.toContain('\n')
  })

  test.each([
    ['name', working('aa'), 'another plugin already has the source name "aa"'],
    [
      'path',
      working('bb', "path: '/v1/aa/search',"),
      'the path "/v1/aa/search" of bb.search is already used by aa.search',
    ],
    ['alias', working('bb', "aliases: ['/v1/aa/search'],"), 'is already used by aa.search'],
  ])('the second plugin with the same %s is unusable', async (_, source, reason) => {
    plugin('aa', working('aa'))
    plugin('bb', source)
    const { tasks, failures } = await load([folder])
    expect(tasks.map(({ key }) => key)).toEqual(['aa.search'])
    expect(failures[0]?.folder).toBe(join(folder, 'bb'))
    expect(failures[0]?.reason).toContain(reason)
  })

  test('paths that differ only in the names of their parameters collide', async () => {
    plugin('aa', working('aa', "path: '/v1/shared/:query/x',"))
    plugin(
      'bb',
      working('bb', "path: '/v1/shared/:q/x', input: Type.Object({ q: Query() }), example: { q: 'a' },"),
    )
    const { tasks, failures } = await load([folder])
    expect([tasks.length, failures.length]).toEqual([1, 1])
  })
})

test('a price that depends on the input is listed by its minimum, and must be a whole number of credits', async () => {
  plugin(
    'priced',
    working('priced', "price: { from: 3, words: 'by length', of: ({ query }) => query.length / 2 },"),
  )
  const [task] = (await load([folder])).tasks
  expect(task?.creditCost).toBe(3)
  expect(task?.price({ query: 'abcdef' })).toBe(3)
  expect(() => task?.price({ query: 'abc' })).toThrow(
    'the price of priced.search must be a whole number of credits, not 1.5',
  )
})

test('all plugins of this project load', async () => {
  const { tasks, failures } = await load([join(project, 'plugins'), join(project, 'bench/plugins')])
  expect(failures).toEqual([])
  expect(tasks.map(({ key }) => key)).toContain('encyclopedia.search')
  expect(tasks.map(({ key }) => key)).toContain('echo.search')
})

test('an error in the text of a plugin is reported with its file, line and message, also when there are several', async () => {
  plugin('lamps', working('lamps', '', "import './answer.ts'"))
  const answer = join(folder, 'lamps', 'answer.ts')
  writeFileSync(answer, 'export const price = 7\n\nexport const = 8\n')
  plugin('tables', working('tables', '', "import './answer.ts'"))
  const others = join(folder, 'tables', 'answer.ts')
  writeFileSync(others, 'export const a = (\nlet let = 3\n}\n')
  const { failures } = await load([folder])
  const reasons = failures.map(({ reason }) => reason).sort()
  expect(reasons).toEqual([
    expect.stringMatching(new RegExp(`^${answer}:3:\\d+: Expected `)),
    expect.stringMatching(new RegExp(`^${others}:2:\\d+: Expected `)),
  ])
})

describe('fill.json beside a plugin', () => {
  const fillOf = (content: string) => {
    plugin('lamps', working('lamps'))
    writeFileSync(join(folder, 'lamps', 'fill.json'), content)
    return load([], folder)
  }
  const json = (id: unknown) =>
    JSON.stringify({ 'lamps.search': { items: 4, recordings: 2, fields: { id } } })

  test('is the documented fill of its tasks, and part of the version of their fields', async () => {
    const [task] = (await fillOf(json(750))).tasks
    expect(task?.documentedFill).toEqual({ items: 4, recordings: 2, fields: { id: 750 } })
    rmSync(join(folder, 'lamps'), { recursive: true })
    const [accepted] = (await fillOf(json(0))).tasks
    rmSync(join(folder, 'lamps'), { recursive: true })
    plugin('lamps', working('lamps'))
    const [without] = (await load([], folder)).tasks
    expect([without?.fields, without?.documentedFill]).toEqual([['id'], null])
    const schemas = [task, accepted, without].map((each) => each?.schema)
    expect(new Set(schemas).size).toBe(3)
    for (const schema of schemas) expect(schema).toMatch(/^[0-9a-f]{8}$/)
  })

  test.each([json(1001), json('all'), '[]', '{"lamps.search": {}}'])(
    'is refused when it says %s',
    async (content) => {
      const { tasks, failures } = await fillOf(content)
      expect(tasks).toEqual([])
      expect(failures[0]?.reason).toContain('fill.json')
    },
  )
})
