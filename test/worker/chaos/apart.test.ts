/** Runs of several accounts in one process share its connections, and nothing that tells one account of another. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import type { Worker } from '../../../src/worker/worker.ts'
import { openStand, type Stand } from '../stand.ts'

const ACCOUNTS = 4
const RUNS = 16
let stand: Stand
let worker: Worker
let site: Server
const lines: Record<string, unknown>[] = []
let connections = 0

/** A page that may be cached, with a cookie: it answers a round once all runs have asked for it. */
function answer(responses: Map<string, [ServerResponse, string][]>) {
  return (url: URL, headers: Record<string, string | string[] | undefined>, response: ServerResponse) => {
    const word = url.searchParams.get('word') ?? ''
    if (url.pathname === '/enter') {
      response.setHeader('set-cookie', `word=${word}; Path=/; Secure`)
      response.setHeader('etag', `"${word}"`).end('{}')
      return
    }
    const round = url.searchParams.get('round') ?? ''
    const requestHeaders = { cookie: headers.cookie ?? '', condition: headers['if-none-match'] ?? '' }
    const waiting = responses.get(round) ?? []
    responses.set(round, waiting)
    waiting.push([response, JSON.stringify(requestHeaders)])
    if (waiting.length < RUNS) return
    for (const [each, body] of waiting)
      each.writeHead(200, { etag: '"page"', 'cache-control': 'max-age=3600' }).end(body)
    responses.delete(round)
  }
}

beforeAll(async () => {
  const respond = answer(new Map())
  site = createServer((request, response) =>
    respond(new URL(request.url ?? '', 'http://site'), request.headers, response),
  )
  site.on('connection', () => connections++)
  await new Promise<void>((listens) => site.listen(0, '127.0.0.1', listens))
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  stand = await openStand({ plugins: join(import.meta.dirname, 'plugins'), logger })
  const origins = new Map([['echo', `http://127.0.0.1:${(site.address() as AddressInfo).port}`]])
  worker = await stand.startWorker({ workerConcurrency: 64, sourceOrigins: origins })
})
afterAll(async () => {
  site.closeAllConnections()
  await stand.close()
  site.close()
})

test('cookies, conditions of requests, errors and log lines of runs in one process stay apart', async () => {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => stand.openAccount()))
  const runs = await Promise.all(
    Array.from({ length: RUNS }, async (_, n) => {
      const word = `word${n}of${crypto.randomUUID().slice(0, 8)}`
      const fails = n % 2 === 1
      return { word, fails, id: await stand.request(accounts[n % ACCOUNTS]!, 'echo.ask', { word, fails }) }
    }),
  )
  for (const { word, fails, id } of runs) {
    const run = await stand.ended(id)
    const item = { word, own: word, cookie: `word=${word}`, condition: '' }
    expect(run.result.items).toEqual([item, item, item])
    const error = { code: 'source-changed', detail: `no list for ${word}` }
    if (fails) expect(run.error).toMatchObject(error)
    else expect(run.error).toBeNull()
    const said = lines.filter(({ run_id, msg }) => run_id === id && String(msg).startsWith('line of'))
    expect(said.map((line) => [line.msg, line.word])).toEqual(Array(3).fill([`line of ${word}`, word]))
    for (const other of runs) {
      if (other.word === word) continue
      expect(JSON.stringify(run)).not.toContain(other.word)
      expect(JSON.stringify(lines.filter(({ run_id }) => run_id === id))).not.toContain(other.word)
    }
  }
  expect(worker.pool.figures().filter(({ source }) => source === 'echo')).toEqual([
    { source: 'echo', state: 'accepting', processes: 1, runs: 0 },
  ])
  // The later requests went over the connections of the first ones.
  expect(connections).toBeLessThanOrEqual(2 * RUNS)
})
