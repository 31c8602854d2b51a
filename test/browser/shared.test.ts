/**
 * Many runs of a browser source at once: they share a process, and wait for the pages that the browser may have open. A
 * run that waits can be cancelled, its limit counts, and its wait is no failure.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { until } from '../../rigs/servers/processes.ts'
import type { RunId } from '../../src/domain/ids.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import type { Worker } from '../../src/worker/worker.ts'
import { hasBegun, openStand, type Stand } from '../worker/stand.ts'
import { renderersOf } from './processes.ts'

setDefaultTimeout(180_000)
const RUNS = 32
const PAGES = 2
/** Far beyond the limit of each run. */
const LEASE_S = 3600

/** paths of the documents that pages have requested */
const requests: string[] = []
let server: Server
let stand: Stand
let worker: Worker

describe.skipIf(!hasBrowser)(`${RUNS} runs of a browser source with ${PAGES} pages`, () => {
  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      // Browsers request it at any time.
      if (url !== '/favicon.ico') requests.push(url)
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Home</title>')
    })
    await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    stand = await openStand({ plugins: join(import.meta.dirname, 'plugins') })
    worker = await stand.startWorker({
      workerConcurrency: RUNS,
      runsPerProcess: RUNS,
      browserPages: PAGES,
      leaseS: LEASE_S,
      sourceOrigins: new Map([['pages', origin]]),
      chromiumPath: process.env.CHROMIUM_PATH || null,
    })
  })
  afterAll(async () => {
    await stand.close()
    server.closeAllConnections()
    server.close()
  })

  /** Requests runs, in turn for several accounts, and waits until the code of each has begun. */
  async function begun(count: number, path = '/'): Promise<RunId[]> {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => stand.openAccount()))
    const ids = await Promise.all(
      Array.from({ length: count }, (_, n) => stand.request(accounts[n % 4]!, 'pages.share', { path })),
    )
    await Promise.all(ids.map((id) => stand.until(id, hasBegun)))
    return ids
  }
  /** Begins runs that take all pages, and keep them. */
  async function taken(): Promise<RunId[]> {
    const before = requests.length
    const ids = await begun(PAGES, '/held')
    await until(() => requests.length === before + PAGES)
    return ids
  }
  const endsOf = (ids: readonly RunId[]) => Promise.all(ids.map((id) => stand.ended(id)))

  test('share a process, wait for a page and get one, without a failure; one that waits can be cancelled', async () => {
    const holders = await taken()
    const waiting = await begun(RUNS - PAGES)
    expect(worker.figures().processes).toEqual([
      { source: 'pages', state: 'accepting', processes: 1, runs: RUNS },
    ])

    const [cancelled, ...others] = waiting
    await stand.cancel(cancelled!)
    expect(await stand.ended(cancelled!)).toMatchObject({
      run_status: 'cancelled',
      result: null,
      credits: { charged: 1, refunded: 1 },
    })
    // It has ended while all pages were taken.
    expect(requests).toEqual(holders.map(() => '/held'))
    expect(renderersOf(process.pid).length).toBeLessThanOrEqual(PAGES)

    for (const id of holders) await stand.cancel(id)
    for (const { run_status } of await endsOf(holders)) expect(run_status).toBe('cancelled')
    for (const { run_status, attempt, result } of await endsOf(others)) {
      expect([run_status, attempt]).toEqual(['succeeded', 1])
      for (const { value } of result.items) expect(value).toBeLessThanOrEqual(PAGES)
    }
    expect(requests.length).toBe(RUNS - 1)
    expect([stand.again, stand.deaths]).toEqual([[], []])
    await until(() => renderersOf(process.pid).length === 0)
  })

  test('expire at their limit, whether they have a page or wait for one, and the next run gets a page', async () => {
    const before = requests.length
    const ids = [...(await taken()), ...(await begun(RUNS - PAGES))]
    expect(requests.length).toBe(before + PAGES)
    stand.clock.offset += 61_000
    for (const { run_status, error } of await endsOf(ids))
      expect([run_status, error]).toEqual(['expired', expect.objectContaining({ code: 'run-limit' })])
    const [next] = await begun(1)
    expect((await stand.ended(next!)).run_status).toBe('succeeded')
    expect([stand.again, stand.deaths]).toEqual([[], []])
  })
})
