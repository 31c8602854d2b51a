/**
 * Pages of runs in the worker: each run has its own page, the page ends with the run however the run ends, and a killed
 * worker leaves nothing of the browser.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../../rigs/servers/processes.ts'
import { startChild } from '../../rigs/support/child.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import type { Execution } from '../../src/worker/process/execution.ts'
import type { ExecutionEnd } from '../../src/worker/process/execution-end.ts'
import { ProcessPool } from '../../src/worker/process/pool.ts'
import { poolSettings } from '../worker/pools.ts'
import { quiet } from '../worker/quiet.ts'
import source from './plugins/pages/source.ts'
import { belowOf, mentioning, processes, renderersOf } from './processes.ts'

setDefaultTimeout(60_000)
const folder = temporaryFolder()
const module = new URL('./plugins/pages/source.ts', import.meta.url).href
const heldResponses: ServerResponse[] = []
const requests: string[] = []
const server = createServer(({ url = '' }, response) => {
  requests.push(url)
  const path = url.split('?')[0]
  if (path === '/web/api/held') return void heldResponses.push(response.writeHead(200))
  if (path === '/web/api/now') return void response.writeHead(200, { 'x-page': '7' }).end('now')
  if (path === '/web/moved') return void response.writeHead(302, { location: '/web/?moved' }).end()
  if (path === '/web/blocked') return void response.writeHead(302, { location: '/web/interstitial' }).end()
  response.writeHead(200, { 'content-type': 'text/html' }).end(HOME)
})
const HOME = `<!doctype html><title>Home</title><script src=https://a.cdn.example/script.js></script>
  <input onkeydown="if (event.key === 'Enter') entered = this.value"><button onclick="clicked = event.isTrusted">b</button>
  <div id=box style="height:99px;overflow:auto"><p style="height:2000px">x</div>
  <script>
    box.onscroll = () => { if (box.scrollTop === 300) document.body.insertAdjacentHTML('beforeend', '<i id=low>l</i>') }
    fetch('/api/now')
  </script><script src=/api/held></script>`
const origins = new Map<string, string>()
let pool: ProcessPool
let runs = 0

beforeAll(async () => {
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  origins.set('pages', `http://127.0.0.1:${(server.address() as AddressInfo).port}/web`)
  pool = newPool()
  pool.start()
})
afterAll(async () => {
  await pool.stop()
  server.closeAllConnections()
  server.close()
})

const newPool = (): ProcessPool =>
  new ProcessPool(
    {
      ...poolSettings(folder),
      browserPages: 3,
      sourceOrigins: origins,
      chromiumPath: process.env.CHROMIUM_PATH || null,
    },
    quiet,
  )

type Run = {
  readonly execution: Execution
  readonly items: unknown[]
  readonly begun: Promise<void>
  readonly restarts: { readonly count: number }
}

function begin(task: string, input: object = {}, on = pool): Run {
  const runId = `run_${runs++}`
  const items: unknown[] = []
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const restarts = { count: 0 }
  const execution = on.execute({
    job: {
      runId,
      module,
      taskKey: `pages.${task}`,
      input: JSON.stringify(input),
      until: Date.now() + 300_000,
      exit: null,
    },
    account: 'acc_1',
    memoryMb: 512,
    source,
    hear(said) {
      if (said.type === 'again') {
        items.length = 0
        restarts.count++
      }
      if (said.type !== 'items') return
      items.push(...valuesIn(said.text))
      resolve()
    },
  })
  return { execution, items, begun, restarts }
}

const valuesIn = (text: string): unknown[] =>
  JSON.parse(`[${text}]`).map(({ value }: { value: unknown }) => value)

async function outcome(task: string, input: object = {}, on = pool) {
  const { execution, items } = begin(task, input, on)
  const ended = await execution.end
  return {
    end: endOf(ended),
    items: ended.kind === 'completed' ? [...items, ...valuesIn(ended.text)] : items,
  }
}
const endOf = (ended: ExecutionEnd) => (ended.kind === 'completed' ? ended.end : ended)
const SUCCEEDED = { status: 'succeeded', rest: '{"next_cursor":null}' } as const

/** The number of renderers that the browser of this process has now. */
const pages = () => renderersOf(process.pid).length
const noPages = () => until(() => pages() === 0)

describe.skipIf(!hasBrowser)('a run in a child', () => {
  test('drives its page: each call returns its result', async () => {
    const { end, items } = await outcome('drive')
    for (const response of heldResponses.splice(0)) response.end()
    expect(items).toEqual([
      { status: 200, url: 'https://www.pages.example/?a=b+c' },
      true,
      false,
      'two words',
      true,
      true,
      true,
      true,
      false,
      '<!DOCTYPE html>',
      'https://www.pages.example/?a=b+c',
      'the page was closed',
      'Home',
    ])
    expect(end).toEqual(SUCCEEDED)
  })

  test('receives responses while the page is loading', async () => {
    const { end, items } = await outcome('answers')
    for (const response of heldResponses.splice(0)) response.end()
    expect([end, items]).toEqual([SUCCEEDED, [[200, '7', 'now'], null]])
  })

  test('sees the public address although its origin is replaced, asset hosts included', async () => {
    requests.length = 0
    const { items } = await outcome('read', {
      path: '/moved',
      expression: "fetch('/api/now').then(() => [location.href, isSecureContext])",
    })
    expect(items).toEqual([['https://www.pages.example/?moved', true]])
    expect([...new Set(requests)].toSorted()).toEqual([
      '/web/?moved',
      '/web/api/held',
      '/web/api/now',
      '/web/moved',
      '/web/script.js',
    ])
  })

  test('ends as source-blocked when its page is redirected to an interstitial', async () => {
    const { end } = await outcome('read', { path: '/blocked' })
    expect(end).toMatchObject({ status: 'failed', code: 'source-blocked' })
  })

  test('whose expression fails in the page ends as a defect with the reason', async () => {
    const { end } = await outcome('read', { expression: 'nothing.there' })
    expect(end).toMatchObject({ status: 'errored', code: 'defect' })
    expect((end as { reason: string }).reason).toContain('nothing is not defined')
  })

  test.each([
    ['succeeds', async () => void (await outcome('leave'))],
    ['is cancelled', ({ execution }: Run) => execution.abort()],
    ['is killed', ({ execution }: Run) => execution.kill('the test says so')],
  ] as const)('leaves no page when it %s', async (_, act) => {
    const run = begin('wait')
    await run.begun
    expect(pages()).toBeGreaterThan(0)
    await act(run)
    run.execution.abort()
    await run.execution.end
    await noPages()
  })

  test('leaves no page when its child is killed', async () => {
    const run = begin('wait')
    await run.begun
    const children = belowOf(process.pid).filter(({ command }) =>
      /worker\/process\/child\/main\.ts/.test(command),
    )
    for (const { pid } of children) process.kill(pid, 'SIGKILL')
    expect(await run.execution.end).toMatchObject({ kind: 'died' })
    await noPages()
    // The warm process was killed as well: until the pool hears of it, runs are sent there and die with it.
    await until(async () => 'status' in (await outcome('leave')).end)
  })

  test('whose browser or browser host is killed is restarted twice, and then ends as a defect', async () => {
    const run = begin('wait')
    const victims = [/--remote-debugging-pipe/, /browser\/host\/main\.ts/, /--remote-debugging-pipe/]
    const ended = run.execution.end.then((result) => {
      throw new Error(`the run ended too early: ${JSON.stringify(result)}`)
    })
    ended.catch(() => {})
    const reached = (state: () => boolean) => Promise.race([until(state), ended])
    for (const [times, victim] of victims.entries()) {
      await reached(() => run.items.length === 1)
      const processes = belowOf(process.pid).filter(({ command }) => victim.test(command))
      expect(processes.length).toBeGreaterThan(0)
      for (const { pid } of processes) process.kill(pid, 'SIGKILL')
      // The moment without items may be too short to be seen.
      if (times < 2) await reached(() => run.restarts.count === times + 1)
    }
    expect(endOf(await run.execution.end)).toMatchObject({ status: 'errored', code: 'defect' })
    expect((await outcome('read')).items).toEqual(['Home'])
  })

  test('whose browser does not start ends as a defect with the reason', async () => {
    const bare = new ProcessPool(
      { ...poolSettings(folder), sourceOrigins: origins, chromiumPath: '/bin/false' },
      quiet,
    )
    bare.start()
    const { end } = await outcome('read', {}, bare)
    expect(end).toEqual({
      status: 'errored',
      code: 'defect',
      reason: 'the browser failed: the browser did not start',
    })
    await bare.stop()
  })

  test('ends when the pool stops, and nothing of the browser remains', async () => {
    const run = begin('wait')
    await run.begun
    const left = () =>
      belowOf(process.pid).filter(({ command }) => /gleaner-chromium-|browser\/host/.test(command))
    expect(left().length).toBeGreaterThan(3)
    await pool.stop()
    expect(await run.execution.end).toMatchObject({ kind: 'died', cause: 'killed' })
    expect(left()).toEqual([])
  })
})

describe.skipIf(!hasBrowser || process.platform !== 'linux')('a worker that is killed', () => {
  test('leaves no browser process and no file', async () => {
    const child = startChild(new URL('./orphans.ts', import.meta.url), [origins.get('pages')!])
    const { value: line } = await child.lines.next()
    const browserFolder = /(\S*gleaner-chromium-\w+)/.exec(line)?.[1]
    expect(browserFolder).toBeDefined()
    const below = belowOf(child.process.pid!)
    expect(below.length).toBeGreaterThan(5)
    child.process.kill('SIGKILL')
    await child.ended
    await until(() => !processes().some(({ pid }) => below.some((one) => one.pid === pid)))
    await until(() => mentioning(browserFolder!).length === 0)
    await until(() => !existsSync(browserFolder!))
  })
})
