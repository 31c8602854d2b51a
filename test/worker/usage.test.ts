/** What a run has used, from the sockets of its requests and pages to its end. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { until } from '../../rigs/servers/processes.ts'
import { isTerminalEvent } from '../../src/domain/events.ts'
import { type RunId, runStream } from '../../src/domain/ids.ts'
import type { Usage } from '../../src/net/transport/usage.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import type { Request } from '../../src/worker/process/execution.ts'
import type { ExecutionEnd } from '../../src/worker/process/execution-end.ts'
import type { RunPool } from '../../src/worker/process/pool.ts'
import { TotalUsage } from '../../src/worker/total-usage.ts'
import { type Relay, relayTo } from '../net/relay.ts'
import { closeAll } from '../net/servers.ts'
import { playProcess } from './played.ts'
import { openStand, type Stand } from './stand.ts'

const LAMPS = JSON.stringify({ lamps: [{ title: 'Desk lamp' }] })
const PAGE = '<h1 class="lamp">Desk lamp</h1><script src="/a.js"></script><img src="/a.png">'

describe('a run that has ended', () => {
  let stand: Stand
  let site: Server
  let relay: Relay
  let answered: string[]

  beforeEach(async () => {
    answered = []
    site = createServer(({ url = '' }, response) => {
      answered.push(url)
      if (url.startsWith('/moved')) response.writeHead(302, { location: '/lamps' }).end()
      else if (url.startsWith('/busy') && answered.length === 1) response.writeHead(503).end('busy')
      else if (url === '/page') response.setHeader('content-type', 'text/html').end(PAGE)
      else response.end(LAMPS)
    })
    await new Promise<void>((listens) => site.listen(0, '127.0.0.1', listens))
    relay = await relayTo((site.address() as AddressInfo).port)
    stand = await openStand({ plugins: join(import.meta.dirname, 'capture-plugins') })
    const origins = new Map([['lamps', `http://127.0.0.1:${relay.port}`]])
    await stand.startWorker({ sourceOrigins: origins, chromiumPath: process.env.CHROMIUM_PATH || null })
  })
  afterEach(async () => {
    await stand.close()
    site.closeAllConnections()
    site.close()
    closeAll()
  })

  const endEventOf = async (id: RunId) =>
    (await stand.log.readStream(runStream(id))).find(({ type }) => isTerminalEvent(type))?.event?.data
  const ran = async (paths: readonly string[], task = 'lamps.list') => {
    const id = await stand.request(await stand.openAccount(), task, { paths })
    const { run_status, usage } = await stand.ended(id)
    expect(await endEventOf(id)).toMatchObject({ usage })
    return { run_status, ...usage }
  }

  test('has the requests that were sent, redirects and retries too, and the bytes of its sockets', async () => {
    const first = await ran(['/busy', '/moved', '/lamps'])
    expect(first).toEqual({ run_status: 'succeeded', requests: 5, bytes: relay.bytes() })
    expect(answered).toHaveLength(5)
    // Connections are shared between runs, and each run counts its own part.
    const before = relay.bytes()
    expect(await ran(['/lamps'])).toEqual({
      run_status: 'succeeded',
      requests: 1,
      bytes: relay.bytes() - before,
    })
    expect(await ran([])).toEqual({ run_status: 'succeeded', requests: 0, bytes: 0 })
  })

  test.skipIf(!hasBrowser)(
    'has the requests and bytes of its pages, without requests that are blocked',
    async () => {
      const used = await ran(['/page'], 'lamps.page')
      expect(answered.toSorted()).toEqual(['/a.js', '/page'])
      expect(used).toEqual({ run_status: 'succeeded', requests: 2, bytes: relay.bytes() })
    },
    60_000,
  )
})

/** A pool in which each execution has used the next of these, and succeeds unless it `isHeld`. */
function poolWith(usages: readonly Usage[], isHeld: boolean) {
  const left = [...usages]
  const requests: Request[] = []
  const execute: RunPool['execute'] = (request) => {
    requests.push(request)
    const { promise: end, resolve } = Promise.withResolvers<ExecutionEnd>()
    const success = { status: 'succeeded', rest: '{"items":[]}' } as const
    if (!isHeld)
      resolve({ kind: 'completed', text: '', count: 0, hasFolder: false, fill: null, end: success })
    const kill = (reason: string) => resolve({ kind: 'died', cause: 'killed', reason, alone: false })
    return { end, usage: left.shift()!, changes: [], folder: undefined, abort() {}, answer() {}, kill }
  }
  const pool: RunPool = {
    execute,
    count: 0,
    folder: 'nowhere',
    start() {},
    stop: async () => {},
    figures: () => [],
    memoryMb: () => new Map(),
    unfinished: { drop() {} },
    browser: { isRunning: false, userCount: 0, signIn: () => Promise.reject(new Error('none')) },
  }
  return { pool, requests }
}

test('a run that is handed back has the usage of the attempts before, too', async () => {
  const stand = await openStand({ plugins: join(import.meta.dirname, 'capture-plugins') })
  const first = poolWith([{ requests: 2, bytes: 20 }], true)
  const worker = await stand.startWorker({}, undefined, undefined, { pool: first.pool })
  const id = await stand.request(await stand.openAccount(), 'lamps.list', { paths: [] })
  await until(() => first.requests.length === 1)
  await worker.stop(Promise.resolve())
  const second = poolWith([{ requests: 3, bytes: 30 }], false)
  await stand.startWorker({}, undefined, undefined, { pool: second.pool })
  expect((await stand.ended(id)).usage).toEqual({ requests: 5, bytes: 50 })
  await stand.close()
})

describe('the usage of an execution', () => {
  const USED = { type: 'usage', run: 1, requests: 2, bytes: 700 }

  test('is what its process last reported, if that dies', async () => {
    const played = playProcess()
    const said: unknown[] = []
    const execution = played.begin((message) => said.push(message))
    played.says({ ...USED, requests: 1, bytes: 90 }, USED)
    expect(execution.usage).toEqual({ requests: 2, bytes: 700 })
    played.exits(1)
    expect(await execution.end).toMatchObject({ kind: 'died' })
    expect(execution.usage).toEqual({ requests: 2, bytes: 700 })
    expect(said).toEqual([])
  })

  test('is added to those before it, of this attempt and of others', () => {
    const usage = new TotalUsage({ requests: 1, bytes: 10 })
    expect(usage.total).toEqual({ requests: 1, bytes: 10 })
    const first = { usage: { requests: 0, bytes: 0 } }
    usage.follow(first)
    first.usage = { requests: 2, bytes: 20 }
    expect(usage.total).toEqual({ requests: 3, bytes: 30 })
    usage.follow({ usage: { requests: 4, bytes: 40 } })
    first.usage = { requests: 9, bytes: 90 }
    expect(usage.total).toEqual({ requests: 7, bytes: 70 })
  })

  test('that is beyond all numbers does not make the end of the run invalid', () => {
    const most = { requests: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER }
    const usage = new TotalUsage(most)
    usage.follow({ usage: most })
    expect(usage.total).toEqual(most)
  })
})
