/** Sign-ins with separate APIs and workers: a person's requests reach any API, and any worker hosts the page. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { createServer, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'rebrowser-playwright'
import { testBucketUrl } from '../../../test/artifacts/s3.ts'
import { belowOf } from '../../../test/browser/processes.ts'
import { SEARCH, startMicroblogSite } from '../../servers/microblog-site.ts'
import { endAll } from '../../servers/processes.ts'
import { hasRedis, redisServers } from '../../servers/redis.ts'
import { client, folder, KEY } from '../../servers/server.ts'
import type { SignInSite } from '../../servers/sign-in-site.ts'
import { HostedPerson, openBrowser } from '../../support/hosted-person.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { type Node, type Stores, startNodes, startStores } from './nodes.ts'

const servers = redisServers()
const s3Url = await testBucketUrl(temporaryFolder())
const USER = { name: 'lampada', password: 'correct horse', code: '314159' }

/** A round-robin load balancer. */
async function startBalancer(): Promise<{ server: Server; url: string; nodes: string[] }> {
  const nodes: string[] = []
  let turn = 0
  const server = createServer((request, response) => {
    const { hostname, port } = new URL(nodes[turn++ % nodes.length]!)
    const { method, url, headers } = request
    const onward = send({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, nodes }
}

describe.skipIf(!hasRedis)('across all nodes', () => {
  const data = folder()
  let site: SignInSite
  let browser: Browser
  let stores: Stores
  let balancer: Awaited<ReturnType<typeof startBalancer>>
  let workers: Node[]
  let call: ReturnType<typeof client>

  beforeAll(async () => {
    site = await startMicroblogSite([USER])
    browser = await openBrowser()
    balancer = await startBalancer()
    stores = await startStores(data.path, await servers.start(), s3Url)
    const settings = { PUBLIC_URL: balancer.url, SOURCE_MICROBLOG_ORIGIN: site.origin, LEASE_S: '5' }
    const roles = ['api', 'api,projector', 'worker', 'worker'] as const
    const nodes = await startNodes(stores, roles, settings)
    workers = nodes.filter(({ role }) => role === 'worker')
    balancer.nodes.push(
      ...nodes.flatMap(({ role, address }) => (role !== 'worker' && address ? [address] : [])),
    )
    call = client(balancer.url, KEY)
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    balancer.server.closeAllConnections()
    balancer.server.close()
    await endAll()
    await site.stop()
    await stores.close()
    rmSync(data.path, { recursive: true, force: true })
  }, 60_000)

  async function linkOf(): Promise<string> {
    const { status, body } = await call('/v1/microblog/search', SEARCH)
    expect(status).toBe(428)
    return body.hosted_url
  }

  test('a killed worker ends its sign-in with a message, and the next sign-in succeeds', async () => {
    const person = await HostedPerson.at(browser, await linkOf())
    await person.beginAt('User name')
    const withBrowser = workers.filter(({ pid }) =>
      belowOf(pid).some(({ command }) => /--user-data-dir=/.test(command)),
    )
    expect(withBrowser.length).toBe(1)
    const [killed] = withBrowser
    await killed!.kill()
    expect(await person.sees('failure')).toContain('a new link')
    await person.leave()
    const next = await HostedPerson.at(browser, await linkOf())
    await next.signIn(USER)
    expect(next.complaints).toEqual([])
    await next.leave()
  }, 120_000)

  test('a login made at one worker serves runs at all workers', async () => {
    const runs = async () => {
      const { status, body } = await call('/v1/microblog/search', SEARCH)
      expect(status).toBe(202)
      const ended = await call(`/v1/runs/${body.run_id}?wait=60`)
      expect(ended.body.run_status).toBe('succeeded')
    }
    // First only the worker that made the login runs, then only the other one.
    const maker = workers.find(({ address }) => address !== undefined)!
    const other = workers.find((worker) => worker !== maker)!
    await runs()
    await other.start()
    expect(await maker.stop()).toBe(0)
    await runs()
  }, 120_000)
})
