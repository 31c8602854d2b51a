/**
 * The ways out on both runtimes: a server on its own plugins goes out through a list with a proxy that its source
 * refuses, one that is dead and one that works. The operator sees what runs met there, also after a restart, and nobody
 * sees a proxy's user, password or address.
 */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { childrenOf, endAll, type Running, until } from '../../servers/processes.ts'
import { addressOf, client, folder, KEY, OPERATOR_KEY, ROOT } from '../../servers/server.ts'
import { type Site, startSite } from '../../servers/site.ts'
import { person } from './console.ts'
import { RUNTIMES, serveOn } from './runtimes.ts'

const PLUGINS_DIR = join(ROOT, 'test/cli/proxies/plugins')
const USER = 'user-marker-4b1e'
const PASSWORD = 'password-marker-9c1f'
/** As the header of a request to a proxy has them. */
const BASIC = Buffer.from(`${USER}:${PASSWORD}`).toString('base64')

const data = folder()
const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.stop()
  data.remove()
})

/** A proxy that answers in place of the source. */
async function startProxy(answer: RequestListener): Promise<string> {
  const site = await startSite((request, response) => {
    if (request.headers['proxy-authorization'] === `Basic ${BASIC}`) answer(request, response)
    else response.writeHead(407).end()
  })
  sites.push(site)
  return new URL(site.origin).host
}

async function deadHost(): Promise<string> {
  const { origin, stop } = await startSite(() => {})
  await stop()
  return new URL(origin).host
}

/** All processes below one, with itself. */
const processesOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(processesOf)]

/** What other processes of the machine can see of the server's processes: command lines, and environments of children. */
const visibleOf = ({ pid }: Running): string[] =>
  processesOf(pid).flatMap((each) => {
    const read = (name: string) => {
      const path = `/proc/${each}/${name}`
      return existsSync(path) ? readFileSync(path, 'latin1') : ''
    }
    return [read('cmdline'), each === pid ? '' : read('environ')]
  })

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))

test.each(RUNTIMES.map((runtime) => ({ name: runtime.name, runtime })))(
  'runs go out through a list, operators see what they met, and nobody sees a proxy, on $name',
  async ({ name, runtime }) => {
    const dataDir = join(data.path, name)
    const hosts = [
      await startProxy((_, response) => void response.writeHead(403).end()),
      await deadHost(),
      await startProxy((_, response) => void response.end('<title>Lamps</title>')),
    ]
    const env = {
      PLUGINS_DIR,
      PROXY_HOME: hosts.map((host) => `http://${USER}:${PASSWORD}@${host}`).join(' '),
      SOURCE_LAMPS_PROXY: 'home',
      LOG_LEVEL: 'debug',
    }
    const server = serveOn(runtime, dataDir, env)
    const address = await addressOf(server)
    const [link] = await server.says(/http:\/\/127\.0\.0\.1:\d+\/console\/setup\/[\w-]{43}/)
    const call = client(address, KEY)
    const seen: string[] = []
    const metrics = async () => {
      const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
      return (await fetch(`${address}/metrics`, { headers })).text()
    }
    const countOf = (text: string, exit: number, outcome: string) =>
      Number(
        new RegExp(
          `^gleaner_exit_requests_total\\{way="home",exit="${exit}",source="lamps",outcome="${outcome}"\\} (\\d+)`,
          'm',
        ).exec(text)?.[1] ?? 0,
      )
    // Exits are chosen at random, and those that fail rest afterwards.
    await until(async () => {
      const { body } = await call('/v1/lamps/front', { _run: { async: false } })
      expect(body).toMatchObject({ run_status: 'succeeded', usage: { bytes: expect.any(Number) } })
      seen.push(JSON.stringify(body))
      const text = await metrics()
      seen.push(text)
      return countOf(text, 1, 'blocked') > 0 && countOf(text, 2, 'unreachable') > 0
    })
    const text = await metrics()
    expect(countOf(text, 3, 'good')).toBeGreaterThan(0)
    expect(text).toMatch(/^gleaner_exit_rests\{way="home",exit="2",source=""\} [1-9]/m)
    expect(text).toMatch(/^gleaner_exit_bytes_total\{way="home",exit="3"\} [1-9]/m)

    const ann = person(address)
    await ann.post(link, { name: 'Ann', email: 'ann@example.org', password: 'correct horse battery' })
    const pages = ['/exits', '/exits?exit=home%231', '/sources/lamps', '/system']
    for (const path of pages) seen.push(await ann.get(`/console/operator${path}`))
    expect(seen.at(-4)).toMatch(/home#1[\s\S]*Blocked by the source/)
    expect(seen.at(-4)).toMatch(/home#2[\s\S]*All sources[\s\S]*Unreachable: the exit itself failed/)
    seen.push(JSON.stringify((await call('/v1/events')).body))
    seen.push(...visibleOf(server))
    server.child.kill('SIGTERM')
    await server.ended
    seen.push(server.printed.out, server.printed.err)

    const { port } = new URL(address)
    const second = serveOn(runtime, dataDir, { ...env, PORT: port })
    await addressOf(second)
    const page = await ann.get('/console/operator/exits')
    expect(page).toMatch(/exit=home%231[^>]*>[\s\S]*100 %/)
    second.child.kill('SIGTERM')
    await second.ended
    seen.push(page, second.printed.out, second.printed.err, ...filesIn(dataDir))
    // Of whatever kind, it was looked at.
    expect(seen.filter((each) => /lamps/i.test(each)).length).toBeGreaterThan(10)
    for (const secret of [USER, PASSWORD, BASIC, ...hosts])
      expect(seen.filter((each) => each.includes(secret)).map((each) => each.slice(0, 300))).toEqual([])
  },
  120_000,
)
