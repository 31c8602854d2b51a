/**
 * Every adapter fulfils its port's contract on Deno too, and so do extractors' processes, the HTTP client, the vault
 * and the sources: the same tests as on Bun, unchanged, where the runtime matters.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { endAll, start } from '../../servers/processes.ts'
import { ROOT } from '../../servers/server.ts'
import { DENO } from '../runtime/runtimes.ts'
import { outcomesOfCassettes } from './outcomes.ts'

afterAll(endAll)

const FOLDER = 'rigs/contract'
const HARNESS = ['--import-map', 'rigs/machines/deno/imports.json', 'rigs/machines/deno/run.ts']
/** These files must run some tests; others may be skipped because their servers are missing. */
const ALWAYS = /sqlite|worker|vault\//

/** Adapters in memory are left out: they do not depend on the runtime. */
const adapters = readdirSync(join(ROOT, FOLDER)).filter((name) => /(?<!-memory|-local)\.test\.ts$/.test(name))
/**
 * Files of which only some tests run here, with parts of their names: processes and connections of each kind, how they
 * start, how they communicate and how they end. Long files come first, so that none of them runs alone at the end.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'test/worker/chaos/chaos.test.ts': ['are executed again', 'go on beside'],
  'test/browser/host.test.ts': [
    'drives its page: each call returns',
    'receives responses while the page is loading',
    'when its child is killed',
    'whose browser or browser host is killed',
    'whose browser does not start',
    'leaves no browser process',
  ],
  'rigs/contract/gateway-redis.test.ts': [
    'on one server > a viewer receives the events',
    'on one server > a viewer that waits for a slot',
    'on one server > a thousand inputs sent',
    'on one server > the first frame',
    'on one server > a viewer that leaves and comes back',
    'on one server > a viewer with a page is told',
    'on one server > fifty concurrent',
  ],
  // The feed itself does not depend on the runtime; the stores below it are tested below.
  'rigs/contract/feed-eventstore.test.ts': ['follows stored and then new events'],
  'rigs/contract/feed-sqlite.test.ts': ['follows stored and then new events'],
  'rigs/contract/event-log-eventstore.test.ts': [
    ': append > exactly one of 60',
    ': append > several events',
    ': append > an event of 64 KiB',
    ': read > a long stream',
    ': read > an event comes back',
    ': subscribe >',
  ],
  'test/worker/chaos/cancelled.test.ts': ['no longer counts'],
  'test/worker/chaos/apart.test.ts': ['stay apart'],
  'test/worker/pool.test.ts': [
    'returns its items',
    'of 20,000 items',
    'ends with the status of its thrown error',
    'sees no secret',
    'reaches its source through the HTTP client',
    'cannot reach the network through the global fetch',
    'reads HTML',
    'hands a file over',
    'stops when its signal aborts',
    'a plugin that breaks its process',
    'killed from outside',
    'many runs execute at once',
    'a run that is ended without its code',
    'a run that is stopped harms no other',
    'can be killed or aborted before it begins',
    'are killed when the pool stops',
    'end when their service is killed',
  ],
  'test/worker/exits.test.ts': [
    'starts over at another',
    'whose exit refuses connections',
    'at a gateway keeps its session',
    'even if its worker is lost',
    'keeps its exit when the list shrinks',
    'with a login has the exit of its login',
  ],
  'test/worker/exit-secrets.test.ts': ['of an HTTP proxy', 'of a SOCKS proxy'],
  'test/worker/usage.test.ts': ['has the requests that were sent', 'is what its process last reported'],
  'test/signin/browser/host.test.ts': [
    'shows the page, takes input',
    'ends with its code after a killed browser',
    'ends with its code after a killed host',
  ],
  'test/browser/kit.test.ts': ['opens an address', 'goto ends with the same errors as fetch'],
  // Files and connections are read in pieces. The rest of the contract runs here on SQLite.
  'rigs/contract/artifacts-s3.test.ts': [
    'of 2.5 MiB',
    'text is stored',
    'an expired artifact is gone',
    'a sweep deletes',
    'a working bucket',
    'is uploaded in parts',
  ],
  'rigs/contract/read-models-sqlite.test.ts': [
    'rows come back as they were written',
    'a list shows all of a commit',
    'and survive a restart',
    'reads run during a large commit',
  ],
  // `ephemeral-store-redis` tests a cluster, through the same connection.
  'rigs/contract/delivery-store-redis.test.ts': ['one server'],
  'rigs/contract/read-models-redis.test.ts': ['one server'],
  'rigs/contract/tickets-redis.test.ts': ['one server'],
}
const files = [
  ...Object.keys(PARTS),
  ...adapters.map((name) => join(FOLDER, name)),
  'test/net/addresses.test.ts',
  'test/net/network-transport.test.ts',
  'test/net/exit.test.ts',
  'test/net/usage.test.ts',
  'test/browser/exit.test.ts',
  'test/net/http-client.test.ts',
  'test/net/redirects.test.ts',
  'test/net/bodies-and-cookies.test.ts',
  'test/net/browser-proxy.test.ts',
  'test/signin/remote/seal.test.ts',
  'test/tools/mock-sites/sign-in.test.ts',
  'test/webhooks/deliveries/send.test.ts',
  'test/cli/proxies/check.test.ts',
  'test/vault/sealing.test.ts',
  'test/vault/keyring.test.ts',
  'test/vault/vault.test.ts',
]

test('there are adapters to be tested', () => {
  expect(files.filter((name) => ALWAYS.test(name)).length).toBeGreaterThan(4)
})

type TestResult = { readonly name: string; readonly error?: string }

/** Runs test files on Deno, in one process. @param parts runs only tests whose names contain one of these */
async function runOnDeno(paths: readonly string[], parts: readonly string[] = []) {
  const [program, ...args] = DENO.command
  const only = parts.length > 0 ? ['-t', parts.map(RegExp.escape).join('|')] : []
  const { ended, printed } = start(program, [...args, ...HARNESS, ...only, ...paths], { cwd: ROOT })
  const { code } = await ended
  // Other output of the tests is ignored.
  const lines = printed.out.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  const said = lines.map((line) => JSON.parse(line))
  const tests: TestResult[] = said.slice(0, -1)
  return { code, err: printed.err, tests, sum: said.at(-1) as { ran: number; failed: number } | undefined }
}

// Not all at once: some of the tests are sensitive to timing.
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
    // All tests of a file are skipped if its server or browser is missing.
    const missing = parts.filter((part) => !tests.some(({ name }) => name.includes(part)))
    expect(tests.length > 0 ? missing : []).toEqual([])
  }, 600_000)
}

describe('sources on Deno', () => {
  const outcomes = outcomesOfCassettes()

  test('every cassette that is read without a browser has the same outcome as on Bun', async () => {
    const [program, ...args] = DENO.command
    const { ended, printed } = start(program, [...args, 'rigs/machines/deno/outcomes.ts'], { cwd: ROOT })
    expect([(await ended).code, printed.err]).toEqual([0, ''])
    const onBun = await outcomes
    expect(onBun.every(({ error, requests }) => error === null && requests.length > 0)).toBe(true)
    expect(JSON.parse(printed.out)).toEqual(JSON.parse(JSON.stringify(onBun)))
  }, 60_000)

  test('the tests of sources that use a browser pass, apart from their flows', async () => {
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

test('every test of wrong.ts fails', async () => {
  const { code, tests } = await runOnDeno(['rigs/machines/deno/wrong.ts'])
  expect(code).toBe(1)
  expect(tests.length).toBeGreaterThan(15)
  expect(tests.filter(({ error }) => error === undefined)).toEqual([])
}, 60_000)
