import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { type CommandLine, commandLine } from './command-line.ts'

const folder = temporaryFolder()
const root = join(import.meta.dirname, '..', '..')
let line: CommandLine
beforeAll(async () => {
  line = await commandLine()
})
afterAll(() => line.remove())

test('new-source writes a source that loads, compiles as strictly as the service and passes its test', async () => {
  const to = join(folder, 'made')
  const { code, out, err } = await line.gleaner(['new-source', 'second_hand', '--to', to])
  expect([code, out.trimEnd().split('\n')]).toEqual([
    0,
    ['README.md', 'fixtures/search.json', 'source.test.ts', 'source.ts'].map((file) =>
      join(to, 'second_hand', file),
    ),
  ])
  expect(err).toContain(`PLUGINS_DIR=${to}\n`)
  expect(err).toContain('gleaner try second_hand.search')
  const { tasks, failures } = await loadCatalogue({ folders: [], config: { pluginsDir: to, runLimitS: 300 } })
  expect(failures).toEqual([])
  expect(tasks.map(({ key, paths, source }) => [key, paths, source.title])).toEqual([
    ['second_hand.search', ['/v1/second_hand/search'], 'Second hand'],
  ])
  const ran = spawnSync(process.execPath, ['test', join(to, 'second_hand')], { cwd: to, encoding: 'utf8' })
  expect([ran.status, ran.stderr]).toEqual([0, expect.stringContaining(' 0 fail')])
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const types = [join(root, 'node_modules/bun-types')]
  const config = { compilerOptions: { ...compilerOptions, types }, include: ['second_hand'] }
  writeFileSync(join(to, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript-compiler/bin/tsc')
  expect(spawnSync(process.execPath, [tsc, '--noEmit', '-p', to], { encoding: 'utf8' }).stdout).toBe('')
}, 60_000)

test('new-source leaves no name of the template in the source', async () => {
  const to = join(folder, 'named')
  const { out } = await line.gleaner(['new-source', 'lamps', '--to', to])
  for (const file of out.trimEnd().split('\n'))
    expect(readFileSync(file, 'utf8')).not.toMatch(/newsource|New source/)
})

test('without --to, new-source writes to PLUGINS_DIR and links the kit there', async () => {
  const to = join(folder, 'own')
  mkdirSync(to)
  const { code, err } = await line.gleaner('new-source lamps', { env: { PLUGINS_DIR: to } })
  expect(code).toBe(0)
  expect(existsSync(join(to, 'lamps', 'source.ts'))).toBe(true)
  expect(realpathSync(join(to, 'node_modules', 'gleaner'))).toBe(realpathSync(root))
  expect(err).not.toContain('PLUGINS_DIR')
})

test('new-source --help says that the default is PLUGINS_DIR, or else plugins/ of the project', async () => {
  const { out } = await line.gleaner('new-source --help')
  expect(out).toContain("by default PLUGINS_DIR, or else the project's plugins/")
})

describe('new-source refuses an invalid or taken name and writes nothing', () => {
  const mistakes: [string, number, string][] = [
    ['Lamps', 2, '"Lamps" is not a valid source name: lower-case letters, digits and _'],
    ['../lamps', 2, 'is not a valid source name'],
    ['lamps.search', 2, 'is not a valid source name'],
    ['7lamps', 2, 'is not a valid source name'],
    ['a'.repeat(41), 2, 'at most 40 characters'],
    ['encyclopedia', 1, 'another plugin already has the source name "encyclopedia"'],
    ['runs', 1, 'is reserved for the service'],
    ['webhooks', 1, 'is reserved for the service'],
  ]
  for (const [name, exit, said] of mistakes) {
    test(name, async () => {
      const to = join(folder, 'refused')
      const { code, out, err } = await line.gleaner(['new-source', name, '--to', to])
      expect([code, out]).toEqual([exit, ''])
      expect(err).toContain(said)
      expect(existsSync(to) ? readdirSync(to).filter((each) => each !== 'node_modules') : []).toEqual([])
    })
  }

  test('new-source leaves an existing folder unchanged', async () => {
    const to = join(folder, 'there')
    mkdirSync(join(to, 'lamps'), { recursive: true })
    writeFileSync(join(to, 'lamps', 'mine.txt'), 'mine')
    const { code, err } = await line.gleaner(['new-source', 'lamps', '--to', to])
    expect(code).toBe(1)
    expect(err).toContain(`${join(to, 'lamps')} already exists`)
    expect(readdirSync(join(to, 'lamps'))).toEqual(['mine.txt'])
  })

  test('new-source does not overwrite a source of the project', async () => {
    const { code, err } = await line.gleaner('new-source encyclopedia')
    expect([code, err]).toEqual([1, `gleaner: ${join(PLUGINS, 'encyclopedia')} already exists\n`])
  })
})
