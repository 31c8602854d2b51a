/**
 * A proxy's user and password stay out of what a plugin can say by accident: its process needs them, but hands them to no
 * plugin, and has them in nothing global.
 */
import { afterEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import { until } from '../../rigs/servers/processes.ts'
import { runStream } from '../../src/domain/ids.ts'
import { capturesOf, readCapture } from '../../src/health/captures/list.ts'
import { type Answer, hangs, MARKER, serves, TestProxy } from './exit-proxy.ts'
import { openStand, type Stand } from './stand.ts'

let stand: Stand | undefined
let proxy: { stop(): void } | undefined
afterEach(async () => {
  proxy?.stop()
  await stand?.close()
})

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))

const USER = 'MARK-user-5d2a'
/** The operator's key for the source's API, which the plugin is handed. */
const KEY = 'MARK-operators-key'

/** It serves through the exit, refuses, and leaves a request under way. */
const answer: Answer = (request, response) => {
  if (String(request.url).endsWith('/refused')) return void response.writeHead(407).end()
  return (String(request.url).endsWith('/held') ? hangs : serves)(request, response)
}

/** A SOCKS5 proxy that asks for the password, and serves. */
async function startSocks() {
  const heard: string[] = []
  const server = createServer((socket) => {
    const answers = ['\x05\x02', '\x01\x00', '\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00']
    socket.on('data', (chunk) => {
      heard.push(chunk.toString('latin1'))
      socket.write(answers.shift() ?? 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', 'latin1')
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens))
  const url = `socks5://u:${MARKER}@127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, heard, stop: () => void server.close() }
}

async function startHttp() {
  const proxy = await TestProxy.start(answer)
  return { url: proxy.url, heard: proxy.users, stop: () => proxy.stop() }
}

test.each([
  ['an HTTP proxy', startHttp],
  ['a SOCKS proxy', startSocks],
])('a plugin that says all that it can reach does not say the user and password of %s', async (_, start) => {
  const { url, heard, stop } = await start()
  proxy = { stop }
  const lines: string[] = []
  const opened = await openStand({
    plugins: join(import.meta.dirname, 'exit-plugins'),
    env: { PROXY_URL: url.replace('//u:', `//${USER}:`) },
    credentials: new Map([['lamps', { KEY }]]),
    logger: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
  })
  stand = opened
  await stand.startWorker()
  const account = await stand.openAccount()
  const seen: string[] = []
  for (const ends of ['changed', 'throws', 'crashes']) {
    const id = await stand.request(account, 'lamps.confess', { ends })
    seen.push(JSON.stringify([await stand.ended(id), await stand.log.readStream(runStream(id))]))
  }
  expect(heard.join()).toContain(USER)
  // What it may have is found, and comes out by every way.
  const log = (part: string) => lines.filter((line) => line.includes(part)).join('')
  for (const each of [seen[0], log('confess'), log('printed'), log('died')]) expect(each).toContain(KEY)

  await until(async () => (await capturesOf(opened)).length === 1)
  const [{ id } = { id: '' }] = await capturesOf(opened)
  seen.push(JSON.stringify(await readCapture(opened, id)), ...lines, ...filesIn(stand.folder))
  const header = Buffer.from(`${USER}:${MARKER}`).toString('base64')
  for (const secret of [USER, MARKER, header])
    expect(seen.filter((each) => each.includes(secret)).map((each) => each.slice(0, 2000))).toEqual([])
})
