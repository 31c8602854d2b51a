/**
 * Every adapter keeps its port's contract on Deno too, and so do extractors' processes, the HTTP client, the vault and the
 * sources: the same tests as on Bun, as they are, of what a runtime has a part in.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { DENO } from '../runtime/runtimes.ts'
import { endAll, start } from '../start/processes.ts'
import { ROOT } from '../start/server.ts'
import { outcomesOfCassettes } from './outcomes.ts'

afterAll(endAll)

const FOLDER = 'test/contract'
const HARNESS = ['--import-map', 'test/deno/imports.json', 'test/deno/run.ts']
/** Of these a run without any test would prove nothing; others need servers that may be missing. */
const ALWAYS = /sqlite|worker|vault\//

/** What is in the memory of one process is the same everywhere. */
const adapters = readdirSync(join(ROOT, FOLDER)).filter((name) => /(?<!-memory|-local)\.test\.ts$/.test(name))
/**
 * Files of which not all tests run here, with parts of the names of those that do: processes and connections of each kind,
 * how they begin, how they are heard and how they end. First those that take long, so that none is left at the end alone.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'test/browser/host.test.ts': [
    'drives its page: each call returns',
    'receives responses while the page is loading',
    'when its child is killed',
    'whose browser or browser host is killed',
    'whose browser does not start',
    'leaves no browser process',
  ],
  'test/contract/gateway-redis.test.ts': [
    'on one server > who signs in hears',
    'on one server > who comes when all slots are taken',
    'on one server > a thousand inputs',
    'on one server > who has seen nothing gets a frame',
    'on one server > who leaves and comes again',
    'on one server > who is inside is told when their time is up',
    'on one server > fifty at once',
  ],
  // The feed itself is the same on each runtime: what it stands on is tested below.
  'test/contract/feed-eventstore.test.ts': ['brings what is there and then what comes'],
  'test/contract/feed-sqlite.test.ts': ['brings what is there and then what comes'],
  'test/contract/event-log-eventstore.test.ts': [
    ': append > of 60 appends',
    ': append > of several events',
    ': append > an event of 64 KiB',
    ': read > a long stream',
    ': read > an event comes back',
    ': subscribe >',
  ],
  'test/worker/pool.test.ts': [
    'returns its items',
    'of 20,000 items',
    'ends with the status of its thrown error',
    'sees no secret',
    'reaches its source through the HTTP client',
    'uses the configured proxy',
    'cannot reach the network through the global fetch',
    'reads HTML',
    'hands a file over',
    'stops when its signal aborts',
    'a plugin that breaks its process',
    'killed from outside',
    'can be killed or aborted before it begins',
    'are killed when the pool stops',
    'end when their service is killed',
  ],
  'test/browser/signin-host.test.ts': [
    'shows the page, takes input',
    'ends with its code after a killed browser',
    'ends with its code after a killed host',
  ],
  'test/browser/kit.test.ts': ['opens an address', 'goto ends with the same errors as fetch'],
  // Files and connections are read in pieces. The rest of the contract runs here on SQLite.
  'test/contract/artifacts-s3.test.ts': [
    'of 2.5 MiB',
    'text is stored',
    'what has expired is not there',
    'a sweep deletes',
    'is found to',
    'goes in parts',
  ],
  'test/contract/read-models-sqlite.test.ts': [
    'rows come back as they were written',
    'a list shows all of a commit',
    'and outlive a restart',
    'others have their turn during a large commit',
  ],
  // A cluster is asked for by `ephemeral-store-redis`, through the same connection.
  'test/contract/delivery-store-redis.test.ts': ['one server'],
  'test/contract/read-models-redis.test.ts': ['one server'],
  'test/contract/tickets-redis.test.ts': ['one server'],
}
const files = [
  ...Object.keys(PARTS),
  ...adapters.map((name) => join(FOLDER, name)),
  'test/net/addresses.test.ts',
  'test/net/network-transport.test.ts',
  'test/net/http-client.test.ts',
  'test/net/browser-proxy.test.ts',
  'test/login/remote/seal.test.ts',
  'test/tools/mock-sites/sign-in.test.ts',
  'test/webhooks/send.test.ts',
  'test/vault/sealing.test.ts',
  'test/vault/keyring.test.ts',
  'test/vault/vault.test.ts',
]

test('there are adapters to be tested', () => {
  expect(files.filter((name) => ALWAYS.test(name)).length).toBeGreaterThan(4)
})

type Told = { readonly name: string; readonly error?: string }

/** Runs files of tests on Deno, in one process. @param parts of names: only these tests */
async function runOnDeno(paths: readonly string[], parts: readonly string[] = []) {
  const [program, ...args] = DENO.command
  const only = parts.length > 0 ? ['-t', parts.map(RegExp.escape).join('|')] : []
  const { ended, printed } = start(program, [...args, ...HARNESS, ...only, ...paths], { cwd: ROOT })
  const { code } = await ended
  // What the tests themselves print is of no interest here.
  const lines = printed.out.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  const said = lines.map((line) => JSON.parse(line))
  const tests: Told[] = said.slice(0, -1)
  return { code, err: printed.err, tests, sum: said.at(-1) as { ran: number; failed: number } | undefined }
}

// Not all at once: some of them hold what they test to times.
const atOnce = pLimit(3)
for (const file of new Set(files)) {
  test.concurrent(file, async () => {
    const parts = PARTS[file] ?? []
    const { code, err, tests, sum } = await atOnce(() => runOnDeno([file], parts))
    expect(tests.filter(({ error }) => error !== undefined)).toEqual([])
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
    expect(sum?.ran).toBe(tests.length)
    const least = parts.length > 0 ? parts.length : 5
    expect(tests.length).toBeGreaterThanOrEqual(ALWAYS.test(file) ? least : 0)
    // All of them are skipped where a server or a browser is missing.
    const missing = parts.filter((part) => !tests.some(({ name }) => name.includes(part)))
    expect(tests.length > 0 ? missing : []).toEqual([])
  }, 600_000)
}

describe('every source reads its pages as on Bun', () => {
  const outcomes = outcomesOfCassettes()

  test('those of its cassettes', async () => {
    const [program, ...args] = DENO.command
    const { ended, printed } = start(program, [...args, 'test/deno/outcomes.ts'], { cwd: ROOT })
    expect([(await ended).code, printed.err]).toEqual([0, ''])
    const onBun = await outcomes
    expect(onBun.every(({ error, requests }) => error === null && requests.length > 0)).toBe(true)
    expect(JSON.parse(printed.out)).toEqual(JSON.parse(JSON.stringify(onBun)))
  }, 60_000)

  test('and those that it reads in a browser, as far as it reads them itself', async () => {
    const read = new Set((await outcomes).map(({ source }) => source))
    const others = readdirSync(join(ROOT, 'plugins')).filter((name) => !read.has(name))
    const paths = others.flatMap((name) =>
      readdirSync(join(ROOT, 'plugins', name))
        .filter((file) => /(?<!flow)\.test\.ts$/.test(file))
        .map((file) => join('plugins', name, file)),
    )
    const { code, err, tests, sum } = await runOnDeno(paths)
    expect(tests.filter(({ error }) => error !== undefined)).toEqual([])
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
    expect(sum?.ran).toBe(tests.length)
    expect(tests.length).toBeGreaterThan(200)
  }, 180_000)
})

test('what must fail does', async () => {
  const { code, tests } = await runOnDeno(['test/deno/wrong.ts'])
  expect(code).toBe(1)
  expect(tests.length).toBeGreaterThan(15)
  expect(tests.filter(({ error }) => error === undefined)).toEqual([])
}, 60_000)
