/**
 * The rate limit of a source is fair between accounts, across the worker and its children.
 *
 * @module
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../../rigs/servers/processes.ts'
import { openStand, type Stand } from './stand.ts'

const hanging: ServerResponse[] = []
const server = createServer((request, response) => {
  if (request.url === '/hang') hanging.push(response)
  else response.end('{"n":7}')
})
let stand: Stand

beforeAll(async () => {
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  stand = await openStand({ pace: { perSecond: 1000, concurrent: 2 } })
  const origins = new Map([['faults', `http://127.0.0.1:${(server.address() as AddressInfo).port}`]])
  await stand.startWorker({ workerConcurrency: 5, sourceOrigins: origins })
})
afterAll(async () => {
  await stand.close()
  server.closeAllConnections()
  server.close()
})

test('hanging requests of one account do not block runs of another account', async () => {
  const [slow, quick] = [await stand.openAccount(), await stand.openAccount()]
  const runs = []
  for (let n = 0; n < 3; n++) runs.push(await stand.request(slow, 'fetch', { text: '/hang' }))
  await until(() => hanging.length === 2)
  for (let n = 0; n < 2; n++) {
    const run = await stand.ended(await stand.request(quick, 'fetch', { text: '/quick' }))
    expect(run.result.items).toEqual([{ n: 7 }])
  }
  // The third run is waiting: it continues when one of the first two gets its answer.
  expect(hanging.length).toBe(2)
  for (let n = 0; n < 3; n++) {
    await until(() => hanging.length > n)
    hanging[n]?.end('{"n":1}')
  }
  for (const run of runs) expect((await stand.ended(run)).run_status).toBe('succeeded')
}, 60_000)
