/** `gleaner proxies check` says what each source answers through each of its exits, and never shows their URLs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type Site, startSite } from '../../../rigs/servers/site.ts'
import { socksReplying } from '../../net/own-proxy.ts'
import { closeAll } from '../../net/servers.ts'
import { type CommandLine, commandLine } from '../command-line.ts'

const PLUGINS_DIR = join(import.meta.dirname, 'plugins')
const MARKER = 'password-marker'

let line: CommandLine
let proxy: Site
let dead: string
const users: string[] = []

beforeAll(async () => {
  line = await commandLine()
  proxy = await startSite(answer)
  const gone = await startSite(() => {})
  await gone.stop()
  dead = new URL(gone.origin).host
})
afterAll(async () => {
  line.remove()
  closeAll()
  await proxy.stop()
})

/** Stands in for a proxy and the site behind it: it answers by its user. */
function answer({ headers, url }: IncomingMessage, response: ServerResponse): void {
  const pair = Buffer.from((headers['proxy-authorization'] ?? '').replace('Basic ', ''), 'base64').toString()
  const user = pair.split(':')[0]!
  users.push(user)
  const html = (status: number, text: string) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(text)
  if (user === 'blocked') html(403, 'no')
  else if (user === 'captcha') html(200, '<title>Just a moment...</title>')
  else if (user === 'strange') html(407, 'who?')
  else if (user === 'api') html(404, 'nothing here')
  else if (user === 'broken') html(500, 'oh')
  else if (user === 'moved' && new URL(url!).pathname === '/')
    response.writeHead(302, { location: '/en' }).end()
  else if (user === 'elsewhere') response.writeHead(302, { location: 'http://other.example/' }).end()
  else html(200, '<title>Lamps &amp; more</title>')
}

const exit = (user: string): string => `http://${user}:${MARKER}@${new URL(proxy.origin).host}`

async function checked(env: Readonly<Record<string, string>>, words = 'proxies check lamps') {
  const result = await line.gleaner(words, { env: { PLUGINS_DIR, ...env } })
  expect(result.out + result.err).not.toContain(MARKER)
  expect(result.out + result.err).not.toContain(new URL(proxy.origin).port)
  return result
}

test('each exit of a list has a line with what came back', async () => {
  const list = ['good', 'moved', 'api', 'blocked', 'captcha', 'broken', 'strange'].map(exit)
  const { code, out, err } = await checked({
    PROXY_HOME: [...list, `http://u:${MARKER}@${dead}`, `socks5://127.0.0.1:${await socksReplying(2)}`].join(
      ' ',
    ),
    SOURCE_LAMPS_PROXY: 'home',
  })
  const rows = out.split('\n').map((row) => row.replace(/ {2,}\d+\.\d s$/, '').replace(/ {2,}/g, ' | '))
  expect(rows).toEqual([
    'SOURCE | EXIT | ANSWER | TIME',
    'lamps | home#1 | 200, Lamps & more',
    expect.stringMatching(/^lamps \| home#2 \| 200 from [a-z.]+\/en, Lamps & more$/),
    'lamps | home#3 | the source responded with 404',
    'lamps | home#4 | blocked: the source responded with 403',
    'lamps | home#5 | blocked: 200, Just a moment...',
    'lamps | home#6 | the source responded with 500',
    'lamps | home#7 | the way out failed: it answered with 407',
    'lamps | home#8 | the way out failed: it refuses connections',
    'lamps | home#9 | the way out refused: SOCKS reply 2',
    '',
  ])
  expect(code).toBe(1)
  expect(err).toContain('6 checks of 9 did not succeed.')
  // Without a terminal, too.
  expect(err).toContain('lamps home#8: the way out failed: it refuses connections\n')
})

test('a source that leads to hosts which are not its own has not answered: a run would fail', async () => {
  const { code, out } = await checked({ PROXY_URL: exit('elsewhere') }, 'proxies check lamps --json')
  expect(code).toBe(1)
  expect(JSON.parse(out).checks).toMatchObject([{ outcome: 'failed' }])
})

test('each check has a session of its own, and the country of the source', async () => {
  users.length = 0
  const env = {
    PROXY_URL: exit('u-{country}-{session}'),
    SOURCE_LAMPS_COUNTRY: 'de',
  }
  const first = await checked(env, 'proxies check lamps --json')
  expect(first.err).toBe('')
  await checked(env)
  expect(first.code).toBe(0)
  expect(JSON.parse(first.out)).toEqual({
    checks: [
      {
        source: 'lamps',
        exit: 'default#1',
        outcome: 'answered',
        answer: '200, Lamps & more',
        ms: expect.any(Number),
      },
    ],
  })
  expect(new Set(users).size).toBe(2)
  for (const user of users) expect(user).toMatch(/^u-de-[a-z2-7]{16}$/)
})

test('a source with a replaced origin is left out, and an unknown one is a wrong argument', async () => {
  const env = { SOURCE_LAMPS_ORIGIN: 'http://127.0.0.1:1' }
  const { code, out, err } = await checked(env)
  expect([code, out]).toEqual([0, ''])
  expect(err).toContain('lamps is left out: requests to SOURCE_LAMPS_ORIGIN go out directly.')
  const unknown = await checked({}, 'proxies check lmaps')
  expect(unknown.code).toBe(2)
  expect(unknown.err).toContain('lmaps names no source; did you mean "lamps"?')
})
