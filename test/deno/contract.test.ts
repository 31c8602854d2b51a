/**
 * Every adapter keeps its port's contract on Deno too, and so do extractors' processes, the HTTP client, the vault and the
 * sources: the same files of tests as on Bun, as they are.
 */
import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { DENO } from '../runtime/runtimes.ts'
import { endAll, start } from '../start/processes.ts'
import { ROOT } from '../start/server.ts'

afterAll(endAll)

const FOLDER = 'test/contract'
const HARNESS = ['--import-map', 'test/deno/imports.json', 'test/deno/run.ts']
/** Of these a run without any test would prove nothing; others need servers that may be missing. */
const ALWAYS = /sqlite|memory|worker|vault\//

const adapters = readdirSync(join(ROOT, FOLDER)).filter((name) => name.endsWith('.test.ts'))
/** First, so that none of them is left at the end alone. */
const LONGEST = [
  'test/contract/gateway-redis.test.ts',
  'test/browser/host.test.ts',
  'test/contract/feed-eventstore.test.ts',
  'test/worker/pool.test.ts',
]
const files = [
  ...LONGEST,
  ...adapters.map((name) => join(FOLDER, name)).filter((name) => !LONGEST.includes(name)),
  'test/net/addresses.test.ts',
  'test/net/network-transport.test.ts',
  'test/net/http-client.test.ts',
  'test/net/browser-proxy.test.ts',
  'test/browser/kit.test.ts',
  'test/browser/signin-host.test.ts',
  'test/login/remote/seal.test.ts',
  'test/tools/mock-sites/sign-in.test.ts',
  'test/webhooks/send.test.ts',
  'test/vault/sealing.test.ts',
  'test/vault/keyring.test.ts',
  'test/vault/vault.test.ts',
  'test/vault/rotation.test.ts',
  'test/exhaustive/engine.test.ts',
]

test('there are adapters to be tested', () => {
  expect(files.filter((name) => ALWAYS.test(name)).length).toBeGreaterThan(4)
})

type Told = { readonly name: string; readonly error?: string }

/** Runs files of tests on Deno, in one process. */
async function runOnDeno(...names: string[]) {
  const [program, ...args] = DENO.command
  const { ended, printed } = start(program, [...args, ...HARNESS, ...names], { cwd: ROOT })
  const { code } = await ended
  // What the tests themselves print is of no interest here.
  const lines = printed.out.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  const said = lines.map((line) => JSON.parse(line))
  const tests: Told[] = said.slice(0, -1)
  return { code, err: printed.err, tests, sum: said.at(-1) as { ran: number; failed: number } | undefined }
}

// Not all at once: some of them hold what they test to times.
const atOnce = pLimit(3)
for (const file of files) {
  test.concurrent(file, async () => {
    const { code, err, tests, sum } = await atOnce(() => runOnDeno(file))
    expect(tests.filter(({ error }) => error !== undefined)).toEqual([])
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
    expect(sum?.ran).toBe(tests.length)
    expect(tests.length).toBeGreaterThan(ALWAYS.test(file) ? 4 : -1)
  }, 600_000)
}

test('every source reads its pages as on Bun', async () => {
  const plugins = readdirSync(join(ROOT, 'plugins'), { recursive: true, encoding: 'utf8' })
  // What was recorded, and what needs a browser, takes long and shows nothing more of a runtime.
  const names = plugins.filter((name) => name.endsWith('.test.ts') && !/recorded|flow\.test/.test(name))
  const { code, err, tests, sum } = await runOnDeno(...names.map((name) => join('plugins', name)))
  expect(tests.filter(({ error }) => error !== undefined)).toEqual([])
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
  expect(sum?.ran).toBe(tests.length)
  expect(tests.length).toBeGreaterThan(2000)
}, 180_000)

test('what must fail does', async () => {
  const { code, tests } = await runOnDeno('test/deno/wrong.ts')
  expect(code).toBe(1)
  expect(tests.length).toBeGreaterThan(15)
  expect(tests.filter(({ error }) => error === undefined)).toEqual([])
}, 60_000)
