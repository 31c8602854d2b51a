/**
 * Several nodes as real processes, on stores that they reach through proxies: a fake EventStoreDB, a real Redis and an
 * S3 server.
 *
 * @module
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EventStoreProcess } from '../../servers/eventstore/process.ts'
import type { Running } from '../../servers/processes.ts'
import type { TestRedis } from '../../servers/redis.ts'
import { addressOf, startServer } from '../../servers/server.ts'
import { startTcpProxy, type TcpProxy } from '../../servers/tcp-proxy.ts'
import { startEventStore } from './event-store.ts'

export type Role = 'api' | 'worker' | 'projector' | 'api,projector'

/** A node that a test can kill and restart. */
export class Node {
  private running: Running | undefined
  private where: string | undefined

  constructor(
    readonly role: Role,
    private readonly dataDir: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Its address while it listens. */
  get address(): string | undefined {
    return this.where
  }

  get pid(): number {
    return this.running?.pid ?? -1
  }

  get printed(): string {
    return this.running?.printed.err ?? ''
  }

  /** Its output on stdout. */
  get said(): string {
    return this.running?.printed.out ?? ''
  }

  /** Starts it, and waits until it is healthy. */
  async start(): Promise<void> {
    const running = startServer(this.dataDir, { ...this.env, ROLES: this.role })
    this.running = running
    const address = await addressOf(running)
    while ((await fetch(`${address}/healthz`)).status !== 200) await new Promise((go) => setTimeout(go, 20))
    this.where = address
  }

  async kill(): Promise<void> {
    this.where = undefined
    this.running?.child.kill('SIGKILL')
    await this.running?.ended
  }

  /** @returns the exit code */
  async stop(): Promise<number | null> {
    this.where = undefined
    this.running?.child.kill('SIGTERM')
    return (await this.running?.ended)?.code ?? null
  }
}

export type Stores = {
  readonly eventStore: { current: Pick<EventStoreProcess, 'port' | 'kill'> }
  readonly folder: string
  readonly toEventStore: TcpProxy
  readonly toRedis: TcpProxy
  /** the processes' settings: the stores through the proxies */
  readonly env: Readonly<Record<string, string>>
  /** a test's settings: the stores directly */
  readonly direct: Readonly<Record<string, string>>
  /** Kills the event store and restarts it on its log. */
  restartEventStore(): Promise<void>
  /** Copies the current data of the event store. @returns a function that kills it and restarts it on that copy */
  backUpEventStore(folder: string): Promise<() => Promise<void>>
  close(): Promise<void>
}

const VAULT_KEY = `${'A'.repeat(43)}=`

/** Starts the event store and the proxies. Redis and S3 are already running. */
export async function startStores(folder: string, redis: TestRedis, s3Url: string): Promise<Stores> {
  const log = join(folder, 'eventstore')
  mkdirSync(log, { recursive: true })
  const eventStore = { current: await startEventStore(log) }
  const { port } = eventStore.current
  const toEventStore = await startTcpProxy(port)
  const toRedis = await startTcpProxy(redis.port)
  const shared = { VAULT_KEY, S3_URL: s3Url }
  return {
    eventStore,
    folder,
    toEventStore,
    toRedis,
    env: {
      ...shared,
      EVENTSTORE_URL: `esdb://127.0.0.1:${toEventStore.port}?tls=false`,
      REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
    },
    direct: { ...shared, EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false`, REDIS_URL: redis.url },
    async restartEventStore() {
      await eventStore.current.kill()
      eventStore.current = await startEventStore(log, port)
    },
    async backUpEventStore(backup) {
      // It is stopped during the copy: a copy of a running one would have to begin with the checkpoint files.
      await eventStore.current.kill()
      cpSync(log, backup, { recursive: true })
      eventStore.current = await startEventStore(log, port)
      return async () => {
        await eventStore.current.kill()
        rmSync(log, { recursive: true })
        cpSync(backup, log, { recursive: true })
        eventStore.current = await startEventStore(log, port)
      }
    },
    async close() {
      await toEventStore.close()
      await toRedis.close()
      await eventStore.current.kill()
    },
  }
}

/** Starts one node for each role. */
export async function startNodes(
  { env, folder }: Stores,
  roles: readonly Role[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Node[]> {
  const nodes = roles.map((role, i) => new Node(role, join(folder, `${role}-${i}`), { ...env, ...settings }))
  await Promise.all(nodes.map((node) => node.start()))
  return nodes
}
