/**
 * A complete service for tests: embedded stores in a temporary folder, read models, catalogue and the HTTP
 * application, without workers and child processes. Tests end runs themselves, as a worker would.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projections } from '../../projections/all.ts'
import { caughtUp } from '../../rigs/support/read-models.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import { assemble } from '../../src/assemble.ts'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { type AccountId, newAccountId, type RunId } from '../../src/domain/ids.ts'
import { SCOPES, type Scope } from '../../src/domain/roles.ts'
import type { StoredResult } from '../../src/domain/run.ts'
import { type AdmittedRun, isAdmitted, type RunEnd } from '../../src/domain/run.ts'
import { type App, createApp, endpointsOf, routesOf } from '../../src/http/api.ts'
import type { Deps } from '../../src/http/deps.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { unlimited } from '../../src/http/time-limit.ts'
import type { Recorded } from '../../src/log/event-log.ts'
import { createLogger } from '../../src/logger.ts'
import { Metrics } from '../../src/metrics.ts'
import { encodeResult } from '../../src/runs/result.ts'
import { SignInError } from '../../src/signin/browser/errors.ts'
import type { Gateway } from '../../src/signin/remote/gateway.ts'
import { openStores, type Stores } from '../../src/stores.ts'

export const OPERATOR_KEY = 'operator-0123456789abcdef0123456789'

/** An account and one of its keys. */
export type Client = { readonly accountId: AccountId; readonly key: string }

export type ServiceOptions = {
  /** settings; rate limits are off by default */
  readonly env?: Readonly<Record<string, string>>
  /** the endpoints; by default, all of the service */
  readonly endpoints?: (deps: Deps) => readonly Endpoint[]
  /** the console; none by default */
  readonly pages?: (deps: Deps) => Promise<App>
  /** replaces some stores for the whole service */
  readonly stores?: (stores: Stores) => Partial<Stores>
  /** replaces some dependencies of the endpoints */
  readonly deps?: (deps: Deps) => Partial<Deps>
}

/** How a test ends a run: its end and the output that a worker would have collected. */
export type Ending = Partial<RunEnd> & {
  readonly items?: readonly object[]
  /** fields of the result in addition to the items */
  readonly rest?: object
  readonly files?: readonly { readonly name: string; readonly contentType: string; readonly body: string }[]
  readonly detail?: string
}

export type McpOptions = {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Refuses every sign-in, because no browser is available. */
const noGateway: Gateway = {
  open: () => Promise.reject(new SignInError('no-browser')),
  view: () => Promise.resolve(undefined),
}

export type Service = Awaited<ReturnType<typeof startService>>

/** Starts a service. `close` stops it and removes its files. */
export async function startService(options: ServiceOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-http-'))
  const config = readConfig({
    DATA_DIR: folder,
    OPERATOR_KEY,
    RATE_KICKOFF: '0',
    RATE_READ: '0',
    RATE_ADMIN: '0',
    LOG_LEVEL: 'silent',
    ...options.env,
  })
  const opened = await openStores(config)
  const stores: Stores = { ...opened, ...options.stores?.(opened) }
  const clock = { offset: 0 }
  const now = () => Date.now() + clock.offset
  const catalogue = await loadCatalogue({ folders: [join(import.meta.dirname, 'plugins')], config })
  const logger = createLogger(config.logLevel)
  const assembly = assemble(stores, { config, catalogue, logger, metrics: new Metrics(), now })
  const { log, readModels, artifacts, projector, tail, accounts, runs, commands, keys, deliverer } = assembly
  await projector?.start()
  await tail.start()
  const closing = new AbortController()
  const state = { shuttingDown: false }
  const defaults: Deps = {
    ...assembly,
    gateway: noGateway,
    shuttingDown: () => state.shuttingDown,
    closing: closing.signal,
    mcp: () => import('../../src/mcp/answer.ts'),
    timeLimit: unlimited,
  }
  const deps: Deps = { ...defaults, ...options.deps?.(defaults) }
  const endpoints = (options.endpoints ?? endpointsOf)(deps)
  const { pages } = options
  const app: App = createApp(
    deps,
    options.endpoints ? endpoints : routesOf(deps),
    pages && (() => pages(deps)),
  )
  const cause = () => ({ causationId: 'test', correlationId: 'test', now: now() })
  const servers: { stop(): Promise<void> }[] = []
  const stopping: (() => Promise<void>)[] = []

  async function openAccount(credits = 1000, scopes: readonly Scope[] = SCOPES): Promise<Client> {
    const accountId = newAccountId(Date.now(), crypto.getRandomValues(new Uint8Array(10)))
    await accounts.handle({ type: 'open', accountId, name: 'test', credits }, { ...cause(), accountId })
    return { accountId, key: await newKey(accountId, scopes) }
  }

  async function newKey(accountId: AccountId, scopes: readonly Scope[], expiresAt: string | null = null) {
    return (await keys.create({ accountId, name: null, scopes, expiresAt }, cause())).apiKey
  }

  async function runOf(id: string): Promise<AdmittedRun> {
    const { state: run } = await runs.load(id as RunId)
    if (!isAdmitted(run)) throw new Error(`${id} is not admitted`)
    return run
  }

  async function start(id: string): Promise<AdmittedRun> {
    await commands.handle(id as RunId, { type: 'start', now: now(), leaseS: config.leaseS }, cause())
    return runOf(id)
  }

  async function store(run: AdmittedRun, ending: Ending): Promise<StoredResult | undefined> {
    const files: { name: string; ref: string }[] = []
    const expires = now() + 86_400_000
    for (const { name, contentType, body } of ending.files ?? []) {
      const path = join(folder, crypto.randomUUID())
      writeFileSync(path, body)
      const { done: _, ...stored } = {
        done: 0,
        ...(await artifacts.putFile(run.runId, 'file', path, expires)),
      }
      const file = { ...stored, content_type: contentType }
      await commands.handle(run.runId, { type: 'store-file', attempt: run.attempt, file }, cause())
      files.push({ name, ref: stored.ref })
    }
    const { items, rest, detail = null } = ending
    if (!items && files.length === 0 && detail === null) return undefined
    const batches = (items ?? []).map((item) => ({ text: Buffer.from(JSON.stringify(item)), count: 1 }))
    const others = JSON.stringify({ next_cursor: null, ...rest })
    const result = items ? { items: batches, rest: others } : null
    const put = artifacts.put(run.runId, 'result', encodeResult({ detail, files }, result), expires)
    await put.done
    const { ref, bytes, sha256 } = put
    return { ref, bytes, sha256, item_count: items?.length ?? 0, partial: false }
  }

  /** Processes a run like a worker: starts it unless it is running, stores its output, and ends it. */
  async function finish(id: string, ending: Ending = { items: [] }): Promise<void> {
    let run = await runOf(id)
    if (run.status === 'queued') run = await start(id)
    const result = await store(run, ending)
    const { status = 'succeeded', code = null, unused, ms, fill, usage } = ending
    const end = { status, code, unused, ms, fill, usage, result }
    await commands.handle(run.runId, { type: 'finish', attempt: run.attempt, end }, cause())
  }

  return {
    app,
    config,
    deps,
    stores,
    endpoints,
    clock,
    state,
    openAccount,
    newKey,
    runOf,
    start,
    finish,
    /** Sends a request directly to the application, without a socket. */
    async send(path: string, init: RequestInit & { readonly key?: string | null } = {}): Promise<Response> {
      const headers = new Headers(init.headers)
      if (init.key) headers.set('authorization', `Bearer ${init.key}`)
      return app.fetch(new Request(`http://localhost${path}`, { ...init, headers }))
    },
    /** Sends a JSON body. */
    post(path: string, key: string | null, body: unknown, headers: Record<string, string> = {}) {
      return this.send(path, {
        key,
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
    },
    /** Sends a message of the Model Context Protocol, or any text. */
    mcp(message: unknown, key: string | null, { query = '', headers = {}, signal }: McpOptions = {}) {
      return this.send(`/mcp${query}`, {
        method: 'POST',
        key,
        body: typeof message === 'string' ? message : JSON.stringify(message),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        ...(signal ? { signal } : {}),
      })
    },
    /** Starts a real server on a free port. Returns its origin. */
    listen(): string {
      const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch })
      servers.push({ stop: () => server.stop(true) })
      return `http://127.0.0.1:${server.port}`
    },
    /** Accounts without cached state, like those of another process. */
    newAccounts: () => new Accounts(log, readModels),
    /** All events of the log. */
    async events(): Promise<readonly Recorded[]> {
      return log.readAll(null, 100_000)
    },
    /** Resolves when the read models contain all events written so far. */
    async shown(): Promise<void> {
      await caughtUp(projector, log, readModels, projections)
    },
    /** Starts delivering to webhooks, as a worker does. */
    startDeliverer(): void {
      deliverer.start()
      stopping.push(() => deliverer.stop())
    },
    /** Tells waiting clients and streams that the process is about to stop. */
    closing: () => closing.abort(),
    async close(): Promise<void> {
      closing.abort()
      for (const stop of stopping) await stop()
      await Promise.all(servers.map((server) => server.stop()))
      await tail.stop()
      await projector?.stop()
      await stores.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
