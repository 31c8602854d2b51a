/** The complete example of docs/plugins.md is a plugin of at most 60 lines that loads and passes its test. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { guideFiles, LAMPS } from './guide.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = guideFiles()
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleaner-guide-'))
  for (const { path, code } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), code)
  }
  const cassette = { task: 'lamps.search', input: { query: 'desk', limit: 5 }, exchanges: LAMPS }
  mkdirSync(join(folder, 'lamps/fixtures'))
  writeFileSync(join(folder, 'lamps/fixtures/search.json'), JSON.stringify(cassette))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the source of the guide loads from an external folder and has at most 60 lines', async () => {
  const source = files.find(({ path }) => path === 'lamps/source.ts')
  expect(source?.code.trim().split('\n').length).toBeLessThanOrEqual(60)
  const { tasks, failures } = await loadCatalogue({
    folders: [],
    config: { pluginsDir: folder, runLimitS: 300 },
  })
  expect(failures).toEqual([])
  expect(tasks.map(({ key, columns }) => [key, columns])).toEqual([
    ['lamps.search', ['id', 'title', 'url', 'price', 'currency', 'description']],
  ])
})

test('both files of the guide compile as strictly as the service', async () => {
  await loadCatalogue({ folders: [], config: { pluginsDir: folder, runLimitS: 300 } })
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const types = [join(root, 'node_modules/bun-types')]
  const config = { compilerOptions: { ...compilerOptions, types }, include: ['lamps'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript-compiler/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
})

test('the test of the guide passes', async () => {
  await loadCatalogue({ folders: [], config: { pluginsDir: folder, runLimitS: 300 } })
  const { status, stderr } = spawnSync(process.execPath, ['test', join(folder, 'lamps')], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stderr).toContain('3 pass')
  expect(status).toBe(0)
})
