/**
 * Runs a test on both runtimes at once: the same requests to a server on each must get the same answers. The servers
 * start before the tests of the file that imports this, with plugins outside the project, and end after them.
 *
 * @module
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startWiki } from '../../docs/wiki.ts'
import { endAll, type Running, until } from '../../servers/processes.ts'
import { addressOf, folder, KEY, OPERATOR_KEY, ROOT } from '../../servers/server.ts'
import { RUNTIMES, type Runtime, serveOn } from './runtimes.ts'
import { type ComparableAnswer, comparableAnswer } from './seen.ts'
import { startTrialSite } from './site.ts'

/** One of the two servers, with clients of its account `default`. */
export class Server {
  constructor(
    readonly runtime: Runtime,
    readonly process: Running,
    readonly address: string,
  ) {}

  get port(): number {
    return Number(new URL(this.address).port)
  }

  /** Sends a request with the admin key, or another one, or none. */
  send(path: string, init: RequestInit & { readonly key?: string | null } = {}): Promise<Response> {
    const { key = KEY, ...rest } = init
    const headers = new Headers(rest.headers)
    if (key !== null) headers.set('authorization', `Bearer ${key}`)
    return fetch(this.address + path, { ...rest, headers, redirect: 'manual' })
  }

  /** Sends a body as JSON. */
  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}, key = KEY) {
    const all = { 'content-type': 'application/json', ...headers }
    return this.send(path, { key, method: 'POST', body: JSON.stringify(body), headers: all })
  }

  operator(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    return this.post(path, body, headers, OPERATOR_KEY)
  }

  /** The answer to a GET, or another request without a body, for a comparison. */
  async see(
    path: string,
    init: RequestInit & { readonly key?: string | null } = {},
  ): Promise<ComparableAnswer> {
    return comparableAnswer(await this.send(path, init))
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of an answer
  async json(answer: Response | Promise<Response>): Promise<any> {
    return (await answer).json()
  }

  /** Runs a task to its end. @returns the run */
  async run(path: string, input: object) {
    const answer = await this.post(path, { ...input, _run: { async: false } })
    const run = await this.json(answer)
    // A run that outlasts the sync call is awaited.
    return answer.status === 202 ? this.json(this.send(`/v1/runs/${run.run_id}?wait=60`)) : run
  }

  /** Resolves when a run has reported progress. */
  async progressed(id: string): Promise<void> {
    await until(async () => (await this.json(this.send(`/v1/runs/${id}`))).progress.done > 0)
  }

  /** The ledger amounts of a run, once there are `count` entries. */
  async booked(id: string, count: number): Promise<number[]> {
    let own: readonly { readonly amount: number; readonly run_id: string | null }[] = []
    await until(async () => {
      const { entries } = await this.json(this.send('/v1/account/ledger?limit=500'))
      own = (entries as typeof own).filter(({ run_id }) => run_id === id)
      return own.length === count
    })
    return own.map(({ amount }) => amount)
  }
}

/** The characters of a server's log that are printed when a test fails. */
const MOST_SAID = 3000

/** The public address of both servers, so that their links are equal. */
export const PUBLIC_URL = 'https://gleaner.example'

const SETTINGS = {
  PUBLIC_URL,
  SYNC_WAIT_S: '2',
  TRUSTED_PROXIES: '127.0.0.1',
  WORKER_CONCURRENCY: '4',
  // A run whose process is lost starts over when its lease expires.
  LEASE_S: '5',
  WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
}

const data = folder()
const servers: Server[] = []
let site: Awaited<ReturnType<typeof startTrialSite>>
let wiki: Awaited<ReturnType<typeof startWiki>>
beforeAll(async () => {
  site = await startTrialSite()
  wiki = await startWiki()
  const plugins = join(data.path, 'plugins')
  for (const from of ['rigs/machines/runtime/plugins/trial', 'test/worker/plugins/faults'])
    cpSync(join(ROOT, from), join(plugins, from.split('/').at(-1)!), { recursive: true })
  for (const runtime of RUNTIMES) {
    const dataDir = join(data.path, runtime.name)
    mkdirSync(dataDir)
    const origin = `${site.origin}/${runtime.name}`
    const origins = { SOURCE_TRIAL_ORIGIN: origin, SOURCE_ENCYCLOPEDIA_ORIGIN: wiki.origin }
    const env = { ...SETTINGS, ...origins, PLUGINS_DIR: plugins }
    const process = serveOn(runtime, dataDir, env)
    servers.push(new Server(runtime, process, await addressOf(process)))
  }
}, 60_000)
afterAll(async () => {
  await endAll()
  await site.stop()
  await wiki.stop()
  data.remove()
})

/** Registers a test: `steps` must return the same on both runtimes. */
export function alike(name: string, steps: (server: Server) => Promise<unknown>, timeoutMs = 60_000): void {
  test(
    name,
    async () => {
      try {
        const [bun, deno] = await Promise.all(servers.map(steps))
        expect(deno).toEqual(bun)
      } catch (error) {
        for (const { runtime, process } of servers)
          console.error(`${runtime.name} said last:\n${process.printed.err.slice(-MOST_SAID)}`)
        throw error
      }
    },
    timeoutMs,
  )
}
