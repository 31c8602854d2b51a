/**
 * A run goes out through one exit. It starts over at another one when its source refuses it there, or when the exit can't
 * be reached: at most twice, whatever happens to its worker. Real processes, with proxies that answer for the source.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import { until } from '../../rigs/servers/processes.ts'
import { leaving } from '../../rigs/support/away.ts'
import { readConfig } from '../../src/config.ts'
import { type AccountId, loginStream, type RunId, runStream } from '../../src/domain/ids.ts'
import { Exits } from '../../src/net/exits/exits.ts'
import type { ExitUse } from '../../src/net/exits/uses.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { type Answer, hangs, MARKER, refuses, serves, TestProxy } from './exit-proxy.ts'
import { openStand, type Stand, type StandOptions } from './stand.ts'

let stand: Stand
let proxies: TestProxy[]
let uses: ExitUse[]
let lines: string[]
beforeEach(() => {
  proxies = []
  uses = []
  lines = []
})
afterEach(async () => {
  for (const proxy of proxies) proxy.stop()
  await stand?.close()
  // No user and no password of a proxy is logged.
  expect(lines.join('')).not.toContain(MARKER)
})

const listOf = (all: readonly TestProxy[]) => ({ PROXY_URL: all.map(({ url }) => url).join(' ') })
const logger = () => pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })

/** Opens a stand with a worker whose sources go out through a list of proxies. */
async function open(answers: readonly Answer[], options: StandOptions = {}): Promise<void> {
  for (const answer of answers) proxies.push(await TestProxy.start(answer))
  const plugins = join(import.meta.dirname, 'exit-plugins')
  stand = await openStand({ plugins, env: listOf(proxies), logger: logger(), ...options })
}
const startWorker = (exits?: Exits) =>
  stand.startWorker({ chromiumPath: process.env.CHROMIUM_PATH || null }, undefined, undefined, {
    onExitUsed: (use) => void uses.push(use),
    ...(exits && { exits }),
  })

const exitsFor = (all: readonly TestProxy[], rests = stand.ephemeral.exitRests) =>
  new Exits({
    config: readConfig(listOf(all)),
    rests,
    now: stand.now,
    logger: logger(),
  })

type Ran = { readonly id: RunId; readonly account: AccountId }
async function begin(input: object = {}, task = 'list'): Promise<Ran> {
  const account = await stand.openAccount()
  return { account, id: await stand.request(account, `lamps.${task}`, { paths: ['/1'], ...input }) }
}
// biome-ignore lint/suspicious/noExplicitAny: tests look at JSON
async function ended(run: Ran | Promise<Ran>): Promise<any> {
  return stand.ended((await run).id)
}
/** The progress events of a run that say that it started over. */
const changesOf = async ({ id }: Ran) =>
  (await stand.log.readStream(runStream(id))).flatMap(({ event }) =>
    event?.type === 'RunProgressed' && event.data.exit_changes !== undefined
      ? [[event.data.exit_changes, event.data.done, event.data.message]]
      : [],
  )
const requests = () => proxies.map(({ paths }) => paths.length)
const total = () => requests().reduce((sum, count) => sum + count, 0)
const resting = async () => (await exitsFor(proxies).resting()).map(({ label, source }) => [label, source])

test('a run that is refused at one exit starts over at another, with items from the start', async () => {
  // The second request is refused, after items of the first one.
  const second: Answer = (request, response) =>
    (String(request.url).endsWith('/2') ? refuses : serves)(request, response)
  await open([second, second])
  const [one, other] = proxies as [TestProxy, TestProxy]
  await startWorker()
  // Whichever exit is the first one, the other one serves all.
  for (const proxy of proxies)
    proxy.answer = (request, response) => {
      if (String(request.url).endsWith('/2')) {
        for (const each of proxies) if (each !== proxy) each.answer = serves
      }
      second(request, response)
    }
  const run = await begin({ paths: ['/1', '/2'] })
  const end = await ended(run)
  expect(end).toMatchObject({ run_status: 'succeeded', progress: { done: 4, message: null } })
  expect(end.result.items).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }, { n: 2 }])
  expect([one.paths, other.paths]).toEqual([
    ['/1', '/2'],
    ['/1', '/2'],
  ])
  expect(await changesOf(run)).toEqual([[1, 0, 'Refused, trying another way out.']])
  expect(end.usage.requests).toBe(4)
  expect(uses.map(({ way, source, outcome, requests }) => [way, source, outcome, requests])).toEqual([
    ['default', 'lamps', 'blocked', 2],
    ['default', 'lamps', 'good', 2],
  ])
  expect(uses.map(({ exit }) => exit).sort()).toEqual([1, 2])
  expect(await resting()).toEqual([[`default#${uses[0]!.exit}`, 'lamps']])
  expect(JSON.stringify(await stand.log.readStream(runStream(run.id)))).not.toContain(MARKER)
})

test('a run whose exit refuses connections starts over, and the exit rests for all sources', async () => {
  await open([serves, serves])
  proxies[0]!.stop()
  await startWorker()
  for (let runs = 0; (await resting()).length === 0 && runs < 60; runs++)
    expect(await ended(begin())).toMatchObject({ run_status: 'succeeded' })
  expect(await resting()).toEqual([['default#1', null]])
  expect(uses.filter(({ outcome }) => outcome === 'unreachable').map(({ exit }) => exit)).toEqual([1])
})

test('a run that reads by routes starts over when its exit fails, too', async () => {
  await open([serves, serves])
  proxies[0]!.stop()
  await startWorker(inOrder())
  const run = await begin({ paths: ['/1', '/2'] }, 'routed')
  expect(await ended(run)).toMatchObject({ run_status: 'succeeded' })
  expect((await changesOf(run)).map(([, , message]) => message)).toEqual([
    "The proxy can't be reached, trying another way out.",
  ])
  // No other route is tried at the dead exit.
  expect(uses.map(({ exit, outcome, requests }) => [exit, outcome, requests])).toEqual([
    [1, 'unreachable', 1],
    [2, 'good', 1],
  ])
  const line = lines.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'An exit rests.')
  expect(line).toMatchObject({ exit: 'default#1', reason: 'it refuses connections' })
  expect(await resting()).toEqual([['default#1', null]])
})

test('an exit whose source fails once the exit worked is not its failure', async () => {
  const fails: Answer = (_, response) => void response.writeHead(503).end()
  await open([fails, serves])
  await startWorker(inOrder())
  const run = await begin({ paths: ['/1', '/2'] }, 'routed')
  expect(await ended(run)).toMatchObject({ error: { code: 'source-unavailable' } })
  expect(uses).toMatchObject([{ exit: 1, outcome: 'other', requests: 2 }])
  expect(await resting()).toEqual([])
})

test('exits that refuse one source, or cannot reach it, rest for that source alone', async () => {
  await open([serves, serves, serves, serves])
  for (const proxy of proxies) proxy.refuseTunnels(502)
  await startWorker(inOrder())
  const run = await begin({ paths: ['https://www.lamps.example/1'] })
  expect(await ended(run)).toMatchObject({ error: { code: 'source-unavailable' } })
  expect((await changesOf(run)).map(([, , message]) => message)).toEqual([
    "The proxy can't reach the source, trying another way out.",
    "The proxy can't reach the source, trying another way out.",
  ])
  expect(uses.map(({ exit, outcome }) => [exit, outcome])).toEqual([
    [1, 'refused'],
    [2, 'refused'],
    [3, 'refused'],
  ])
  expect((await resting()).sort()).toEqual([1, 2, 3].map((number) => [`default#${number}`, 'lamps']))
})

test('one exit that is refused ends no later runs, although their plugin remembers it', async () => {
  await open([refuses, serves, serves, serves])
  await startWorker(inOrder())
  const account = await stand.openAccount()
  for (let runs = 0; runs < 4; runs++) {
    const id = await stand.request(account, 'lamps.careful', { paths: ['/1'] })
    expect(await stand.ended(id)).toMatchObject({ run_status: 'succeeded' })
  }
  // Later runs make no request there, and then say nothing about it.
  expect(uses.map(({ exit, outcome }) => [exit, outcome])).toEqual([
    [1, 'blocked'],
    [2, 'good'],
    [2, 'good'],
    [2, 'good'],
    [2, 'good'],
  ])
  expect(await resting()).toEqual([['default#1', 'lamps']])
})

test('a run that is refused everywhere changes its exit twice and ends', async () => {
  await open([refuses, refuses, refuses, refuses])
  await startWorker()
  const run = await begin()
  expect(await ended(run)).toMatchObject({ run_status: 'failed', error: { code: 'source-blocked' } })
  expect((await changesOf(run)).map(([changes]) => changes)).toEqual([1, 2])
  // Three exits, each used once.
  expect(requests().sort()).toEqual([0, 1, 1, 1])
})

test('a run at a gateway keeps its session until it is refused, and then gets another one', async () => {
  const gateway = await TestProxy.start((request, response) =>
    (gateway.users.length === 2 ? refuses : serves)(request, response),
  )
  proxies.push(gateway)
  await open([], { env: { PROXY_URL: gateway.url.replace('//u:', '//u-{session}:') } })
  await startWorker()
  expect(await ended(begin({ paths: ['/1', '/2'] }))).toMatchObject({ run_status: 'succeeded' })
  const [first, , second] = gateway.users
  expect(gateway.users).toEqual([first!, first!, second!, second!])
  expect(first).not.toBe(second)
  expect(gateway.users.every((user) => /^u-[a-z2-7]{16}$/.test(user))).toBe(true)
  // The next session is another address, so the gateway does not rest.
  expect(await stand.ephemeral.exitRests.all(0)).toEqual([])
})

test('when all exits rest, runs still go out, through the one whose rest ends first', async () => {
  await open([refuses, refuses])
  await startWorker()
  expect(await ended(begin())).toMatchObject({ error: { code: 'source-blocked' } })
  expect((await resting()).length).toBe(2)
  const first = uses[0]!.exit
  for (const proxy of proxies) proxy.answer = serves
  expect(await ended(begin())).toMatchObject({ run_status: 'succeeded' })
  expect(uses[2]).toMatchObject({ exit: first, outcome: 'good' })
  // Its success ends the rest.
  await until(async () => (await resting()).length === 1)
})

test('while the store of rests is away, runs go out and start over as if nothing rested', async () => {
  await open([refuses, refuses])
  await startWorker(
    exitsFor(
      proxies,
      leaving(stand.ephemeral.exitRests, () => true),
    ),
  )
  const run = await begin()
  expect(await ended(run)).toMatchObject({ run_status: 'failed', error: { code: 'source-blocked' } })
  expect(requests()).toEqual([1, 1])
  for (const proxy of proxies) proxy.answer = serves
  expect(await ended(begin())).toMatchObject({ run_status: 'succeeded' })
  expect(await resting()).toEqual([])
})

test('a run changes its exit at most twice, even if its worker is lost in between', async () => {
  await open([refuses, refuses, refuses, refuses])
  await startWorker()
  // The second exit does not answer, so that the worker has the run when its lease ends.
  const hanging: Answer = (request, response) => (total() === 2 ? hangs : refuses)(request, response)
  for (const proxy of proxies) proxy.answer = hanging
  const run = await begin()
  await until(() => total() === 2)
  expect((await changesOf(run)).map(([changes]) => changes)).toEqual([1])
  stand.clock.offset = 40_000
  const tick = { type: 'tick', now: stand.now(), leaseS: 30 } as const
  await stand.commands.handle(run.id, tick, { causationId: 'test', now: stand.now() })
  // What the process of a lost worker had under way is not known.
  expect(await ended(run)).toMatchObject({
    attempt: 2,
    error: { code: 'source-blocked' },
    usage: { requests: 3 },
  })
  expect((await changesOf(run)).map(([changes]) => changes)).toEqual([1, 2])
  expect(total()).toBe(4)
})

test('a run keeps its exit when the list shrinks, and goes on with the new list on another worker', async () => {
  await open([hangs, hangs])
  const [gone, left] = proxies as [TestProxy, TestProxy]
  const old = exitsFor(proxies)
  // The run holds the exit that the new list lacks.
  const exits = { ...boundTo(old), forRun: async () => (await exitsFor([gone]).forRun('lamps')) as never }
  const worker = await startWorker(exits as unknown as Exits)
  const run = await begin()
  await until(() => gone.paths.length === 1)
  await worker.stop(Promise.resolve())
  left.answer = serves
  await startWorker(exitsFor([left]))
  expect(await ended(run)).toMatchObject({ run_status: 'succeeded' })
  expect(requests()).toEqual([1, 1])
  // What became of an exit that is not in the list any more changes nothing.
  await exitsFor([left]).ended({ label: 'default#2', number: 2 }, 'lamps', 'blocked')
  expect(await exitsFor([left]).resting()).toEqual([])
})

test('a run whose process died is executed again at the same exit', async () => {
  const hangsElsewhere: Answer = (request, response) => {
    if (request.url?.endsWith('/1')) serves(request, response)
  }
  await open([hangsElsewhere, hangsElsewhere])
  await startWorker()
  // The process has another run, which may have ended it.
  await begin({ paths: ['/held'] })
  await until(() => total() === 1)
  expect(await ended(begin({}, 'crash'))).toMatchObject({ run_status: 'errored' })
  const counts = proxies.map(({ paths }) => paths.filter((path) => path.endsWith('/1')).length)
  expect(counts.sort()).toEqual([0, 2])
})

/** Runs try the exits of the list in their order, also those that rest. */
function inOrder(): Exits {
  const exits = exitsFor(proxies)
  const labels = proxies.map((_, i) => `default#${i + 1}`)
  const forRun: Exits['forRun'] = (source, tried = []) =>
    exits.forRun(
      source,
      labels.filter((label) => label !== labels[tried.length]),
    )
  return { ...boundTo(exits), forRun } as unknown as Exits
}

const boundTo = (exits: Exits) => ({
  forLogin: exits.forLogin.bind(exits),
  hasOther: exits.hasOther.bind(exits),
  ended: exits.ended.bind(exits),
})

test('a run that paid for a block ends when it is refused', async () => {
  await open([refuses, refuses])
  await startWorker()
  const end = await ended(begin({ blocks: 1 }, 'blocks'))
  expect(end).toMatchObject({ error: { code: 'source-blocked' }, credits: { charged: 6, refunded: 6 } })
  expect(total()).toBe(1)
  // Nor does it start over while a charge is under way.
  const hurried = await begin({ paths: [] }, 'blocks')
  expect(await ended(hurried)).toMatchObject({ error: { code: 'source-blocked' } })
  expect(await changesOf(hurried)).toEqual([])
  // Without a paid block it starts over.
  for (const proxy of proxies) proxy.paths.length = 0
  expect(await ended(begin({ blocks: 0 }, 'blocks'))).toMatchObject({ error: { code: 'source-blocked' } })
  expect(requests()).toEqual([1, 1])
})

test('a run with a login has the exit of its login, and never changes it', async () => {
  await open([refuses, refuses])
  await startWorker()
  const run = async () => {
    const account = await stand.openAccount()
    const cookie = { domain: 'www.lamps.example', path: '/', secure: false, httpOnly: true, sameSite: 'Lax' }
    const cookies = [{ ...cookie, name: 'session', value: 's1', expires: -1 }]
    const ref = await stand.vault.save(account, 'lamps', JSON.stringify({ cookies, origins: [] }))
    const at = { correlationId: 'test', causationId: 'test', now: stand.now() }
    await stand.logins.complete(account, 'lamps', { ref, validUntil: null, startedAt: stand.now() }, at)
    const number = exitsFor(proxies).forLogin('lamps', loginStream(account, 'lamps'))!.number
    for (const proxy of proxies) proxy.paths.length = 0
    for (let runs = 1; runs <= 3; runs++) {
      const id = await stand.request(account, 'lamps.mine', { paths: ['/1'] })
      expect(await stand.ended(id)).toMatchObject({ error: { code: 'source-blocked' } })
      expect(requests()).toEqual(number === 1 ? [runs, 0] : [0, runs])
    }
  }
  for (let logins = 0; logins < 3; logins++) await run()
  // Without a login the same task starts over.
  for (const proxy of proxies) proxy.paths.length = 0
  expect(await ended(begin({}, 'mine'))).toMatchObject({ error: { code: 'source-blocked' } })
  expect(requests()).toEqual([1, 1])
})

test('a run that goes out directly ends when it is refused', async () => {
  await open([refuses], { env: {} })
  // The proxy stands for the site.
  const site = createServer((_, response) => void response.writeHead(403).end())
  await new Promise<void>((listens) => site.listen(0, '127.0.0.1', listens))
  const origins = new Map([['lamps', `http://127.0.0.1:${(site.address() as AddressInfo).port}`]])
  await stand.startWorker({ sourceOrigins: origins }, undefined, undefined, {
    onExitUsed: (use) => void uses.push(use),
  })
  const run = await begin()
  expect(await ended(run)).toMatchObject({ error: { code: 'source-blocked' } })
  expect(await changesOf(run)).toEqual([])
  expect(uses).toMatchObject([{ way: 'direct', exit: 0, outcome: 'blocked', requests: 1 }])
  site.close()
})

test.skipIf(!hasBrowser)('a run whose page cannot reach its exit starts over', async () => {
  await open([serves, serves])
  proxies[0]!.stop()
  await startWorker(inOrder())
  expect(await ended(begin({ page: true }, 'seen'))).toMatchObject({ run_status: 'succeeded' })
  expect(uses.map(({ exit, outcome }) => [exit, outcome])).toEqual([
    [1, 'unreachable'],
    [2, 'good'],
  ])
  expect(await resting()).toEqual([['default#1', null]])
})

test.skipIf(!hasBrowser)('the pages of a run use its exit', async () => {
  const page: Answer = (request, response) => {
    if (!String(request.url).endsWith('/page')) return serves(request, response)
    response.setHeader('content-type', 'text/html').end('<title>lamps</title>')
  }
  await open([page, page])
  await startWorker()
  expect(await ended(begin({ page: true }, 'seen'))).toMatchObject({ run_status: 'succeeded' })
  expect(proxies.map(({ paths }) => paths).sort()).toEqual([[], ['/page', '/1']])
})
