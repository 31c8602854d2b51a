/** What the runs of a source share in their process, and what a run gets from the operator. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import { openStand, type Stand } from './stand.ts'

const SECRET = 'hush-8c1f'
let stand: Stand
let site: Server
const requests: string[] = []
const lines: string[] = []

beforeAll(async () => {
  site = createServer((request, response) => {
    requests.push(request.url ?? '')
    if (request.url === '/old') return void response.writeHead(404).end()
    const token = request.url === '/' ? `t${requests.length}` : request.headers['x-token']
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }))
  })
  await new Promise<void>((listens) => site.listen(0, '127.0.0.1', listens))
  stand = await openStand({
    plugins: join(import.meta.dirname, 'memory-plugins'),
    credentials: new Map([['tokens', { KEY: SECRET }]]),
    logger: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
  })
  const origins = new Map([['tokens', `http://127.0.0.1:${(site.address() as AddressInfo).port}`]])
  await stand.startWorker({ sourceOrigins: origins, workerConcurrency: 1 })
})
afterAll(async () => {
  await stand.close()
  site.close()
})

test('a token of the site is fetched once per process, and a closed route is asked twice', async () => {
  const account = await stand.openAccount()
  const runs = []
  for (let i = 0; i < 3; i++) runs.push(await stand.ended(await stand.request(account, 'tokens.list')))
  const item = { token: 't2', credential: SECRET }
  expect(runs.map(({ result }) => result.items)).toEqual([[item], [item], [item]])
  expect(requests).toEqual(['/old', '/', '/list', '/old', '/list', '/list'])
})

test('the log line of a run names its route and the rows that were left out, and no credential', () => {
  const read = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'A run was read.')
  expect(read.length).toBe(3)
  for (const line of read) expect(line).toMatchObject({ task: 'tokens.list', route: 'list', skipped: 2 })
  expect(lines.filter((line) => line.includes(SECRET))).toEqual([])
})

test('no event holds a credential', async () => {
  const events = await stand.log.readAll(0 as never, 1000)
  expect(events.length).toBeGreaterThan(5)
  expect(JSON.stringify(events)).not.toContain(SECRET)
})
