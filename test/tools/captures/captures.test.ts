/** `gleaner captures`: what a service has captured becomes a failing test beside the parser. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { newAccountId, newRunId } from '../../../src/domain/ids.ts'
import type { EndedRun } from '../../../src/domain/run.ts'
import { Captures } from '../../../src/health/captures/keep.ts'
import { type Cassette, readCassette } from '../../../src/plugin/testing.ts'
import { type CommandLine, commandLine, withServices } from '../../cli/command-line.ts'
import { quiet } from '../../worker/quiet.ts'

const plugins = temporaryFolder()
const folder = join(plugins, 'lamps')
const env = { PLUGINS_DIR: plugins }
let line: CommandLine
/** of the capture of a source whose field was renamed, newest first */
let changed: string
/** of a run that has more than one page, of which only the last is captured */
let cut: string

const recorded = (): Cassette => readCassette(pathToFileURL(join(folder, 'fixtures/search.json')))
const renamed = (cassette: Cassette): Cassette =>
  JSON.parse(JSON.stringify(cassette).replaceAll('"title":', '"name":'))

/** Captures a cassette, as a worker does. @returns the capture's id */
async function capture(cassette: Cassette, code = 'source-changed'): Promise<string> {
  const random = () => crypto.getRandomValues(new Uint8Array(10))
  const runId = newRunId(Date.now(), random())
  const accountId = newAccountId(Date.now(), random())
  const run = { runId, accountId, taskKey: cassette.task, status: 'failed', code, correlationId: 'test' }
  await withServices(line.folder, async (stores) => {
    await new Captures({ ...stores, logger: quiet, now: Date.now }).keep({
      run: run as EndedRun,
      source: 'lamps',
      text: JSON.stringify(cassette),
      drifts: false,
      expiresAt: Number.MAX_SAFE_INTEGER,
      states: [],
    })
  })
  await withServices(line.folder, async () => {})
  return runId.replace('run_', 'cap_')
}

beforeAll(async () => {
  line = await commandLine()
  await line.gleaner(['new-source', 'lamps', '--to', plugins])
  const cassette = recorded()
  cut = await capture({ ...cassette, exchanges: cassette.exchanges.slice(1) }, 'output-invalid')
  changed = await capture(renamed(cassette))
})
afterAll(() => line.remove())

const gleaner = (...words: string[]) => line.gleaner(['captures', ...words], { env })
const testsIn = () => readdirSync(folder).filter((name) => name.includes('-captured-'))

test('captures are listed newest first, all of them or those of tasks', async () => {
  const { out } = await gleaner()
  const rows = out.split('\n').map((row) => row.split(/ {2,}/))
  expect(rows.map(([id]) => id)).toEqual(['ID', changed, cut, ''])
  expect(rows[1]?.slice(2, 5)).toEqual(['lamps.search', 'source-changed', '2'])
  expect((await gleaner('lamps.*')).out).toBe(out)
  expect(await gleaner('forum.*')).toEqual({ code: 0, out: '', err: 'No captures of forum.* are stored.\n' })
  for (const patterns of [['nope'], ['lamps.*', 'nope']]) {
    const { code, err } = await gleaner('list', ...patterns)
    expect([code, err]).toEqual([2, expect.stringContaining('nope names no task')])
  }
  const json = JSON.parse((await gleaner('lamps.search', '--json')).out)
  expect(json.captures.map(({ id }: { id: string }) => id)).toEqual([changed, cut])
})

test('a capture is shown as text, or as the cassette', async () => {
  const { out } = await gleaner('show', changed)
  expect(out).toContain(`${changed}  lamps.search  source-changed\n`)
  expect(out).toMatch(/^GET \/api\/search\S*\n-> 200\n/m)
  expect(out).toContain('"name": "Desk lamp"')
  expect(JSON.parse((await gleaner('show', changed, '--json')).out)).toEqual(renamed(recorded()))
})

test('a saved capture is a test that fails with the code of the run, until the parser is mended', async () => {
  const { code, out, err } = await gleaner('save', changed)
  const [cassette = '', file = ''] = out.trim().split('\n')
  expect([code, existsSync(cassette), testsIn().map((name) => join(folder, name))]).toEqual([0, true, [file]])
  expect(err).toContain('The test fails as the run did: the task fails as source-changed')
  expect(err).toContain("before you share it: it has the input of an account's run.")
  expect(err).toContain(`Mend the parser in ${folder}, then run:\n  npx bun test ${folder}\n`)
  const run = () => spawnSync(process.execPath, ['test', file], { encoding: 'utf8' })
  const failed = run()
  expect([failed.status, failed.stderr.includes('source-changed')]).toEqual([1, true])
  const source = join(folder, 'source.ts')
  const parser = readFileSync(source, 'utf8')
  writeFileSync(source, parser.replace(`field.text('title')`, `field.text('name')`))
  expect(run().status).toBe(0)
  writeFileSync(source, parser)
})

test('a capture is saved once', async () => {
  await gleaner('save', changed)
  const before = testsIn()
  const { code, err } = await gleaner('save', changed)
  expect([code, testsIn()]).toEqual([1, before])
  expect(err).toContain('already exists')
})

test('no test is written for a capture whose last answer the run does not use', async () => {
  const cassette = recorded()
  const id = await capture({
    ...cassette,
    exchanges: [...cassette.exchanges, { request: 'GET /api/other', json: {} }],
  })
  const before = testsIn()
  const { code, err } = await gleaner('save', id)
  expect([code, testsIn()]).toEqual([1, before])
  expect(err).toContain('does not request GET /api/other')
  await gleaner('delete', id)
})

test('a saved capture that does not fail as the run did says so', async () => {
  const { code, err } = await gleaner('save', cut)
  expect(code).toBe(0)
  expect(err).toContain(
    'The test does not fail as the run did, which ended as output-invalid: the task succeeds.',
  )
})

test('a capture can be deleted, and is then unknown to every command', async () => {
  const id = await capture(recorded())
  expect(await gleaner('delete', id)).toEqual({ code: 0, out: '', err: `Deleted ${id}.\n` })
  for (const command of ['show', 'save', 'delete']) {
    const { code, err } = await gleaner(command, id)
    expect([command, code, err.includes(`There is no capture ${id}`)]).toEqual([command, 1, true])
  }
  expect((await gleaner()).out).not.toContain(id)
})

test.each(['cap_x', 'run_06h2a6nev41h0tscd5s3x25hzr', '../x'])('%s is no capture', async (id) => {
  expect((await gleaner('show', id)).code).toBe(1)
})
