/**
 * Nodes: processes of the real service, on machines of the simulation.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
// Modules that the service loads lazily are loaded at the start, because loading takes time that no seed controls.
import '../../src/console/console.ts'
import '../../src/images/images.ts'
import '../../src/webhooks/endpoints/target.ts'
import { pbkdf2Sync } from 'node:crypto'
import { loadCatalogue } from '../../src/catalogue/catalogue.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Logger } from '../../src/logger.ts'
import { replaceScrypt } from '../../src/people/passwords.ts'
import { type Service, startService } from '../../src/service.ts'
import { Keyring } from '../../src/vault/keyring.ts'
import type { Network } from './network.ts'
import { SimulatedPool } from './plugin-pool.ts'
import type { Executed } from './plugin-process.ts'
import type { Receivers } from './receivers.ts'
import { type Servers, storesOf } from './stores.ts'
import { Life, type Machine, type World } from './world.ts'

export const OPERATOR_KEY = 'operator-0123456789abcdef0123456789'
export const LEASE_S = 3
export const RUN_LIMIT_S = 8
/** A process that exited by itself is restarted after this time, in milliseconds. */
const AGAIN_MS = 500

/** The settings of every node. */
export const config: Config = readConfig({
  EVENTSTORE_URL: 'esdb://127.0.0.1:2113',
  REDIS_URL: 'redis://127.0.0.1:6379',
  S3_URL: 'http://127.0.0.1:9000/simulated',
  VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
  OPERATOR_KEY,
  SIGN_UP: 'open',
  CANARY: 'daily',
  LEASE_S: String(LEASE_S),
  RUN_LIMIT_S: String(RUN_LIMIT_S),
  QUEUE_LIMIT_S: '60',
  SYNC_WAIT_S: '2',
  SHUTDOWN_GRACE_S: '1',
  WORKER_CONCURRENCY: '6',
  ACCOUNT_CONCURRENCY: '5',
  RATE_KICKOFF: '0',
  RATE_READ: '0',
  RATE_ADMIN: '0',
  // Nothing connects to them.
  PROXY_URL: [1, 2, 3, 4].map((number) => `http://proxy-${number}.example`).join(' '),
  WEBHOOK_RETRIES_S: '1,2,4,8,8,8',
  WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
})

// A password hash that costs no time and no turn of the event loop.
replaceScrypt(((
  text: string,
  salt: Buffer,
  bytes: number,
  _: object,
  done: (error: null, hash: Buffer) => void,
) => done(null, pbkdf2Sync(text, salt, 1, bytes, 'sha256'))) as never)

// Elysia makes Bun collect garbage after it created an app, which happens here at each start of a node.
if (typeof Bun !== 'undefined') Bun.gc = () => 0

/** Loaded once: it does not depend on a run. */
export const catalogue = await loadCatalogue({
  folders: [fileURLToPath(new URL('./plugins', import.meta.url))],
  config,
})

export type NodeDeps = {
  readonly world: World
  readonly network: Network
  readonly servers: Servers
  readonly receivers: Receivers
  /** how many runs a process of plugins executes at once */
  readonly runsPerProcess: number
  /** where processes of plugins note what they execute */
  readonly executed: Executed[]
}

/** A process that is restarted whenever it ends. */
export class Node {
  readonly machine: Machine
  life: Life
  service: Service | undefined
  /** pending requests */
  private lives = 0

  constructor(
    private readonly deps: NodeDeps,
    readonly index: number,
  ) {
    this.machine = { name: `node${index}`, clockMs: 0 }
    this.life = this.begin()
  }

  /** Whether requests reach it. */
  get isUp(): boolean {
    return this.service !== undefined && !this.life.isDead
  }

  /** Kills its process and starts another one after a while. */
  kill(life: Life, forMs: number): void {
    if (life.isDead) return
    this.deps.world.note(`dies ${life.name}`)
    life.die()
    if (life === this.life) this.again(forMs)
  }

  /** Tells its process to shut down, like a deployment does, and then starts another one. */
  restart(forMs: number): void {
    const { world } = this.deps
    const { life, service } = this
    if (!service || life.isDead) return
    this.service = undefined
    world.as(life, () => {
      const grace = new Promise<void>((go) => {
        world.after(config.shutdownGraceS * 1000, go, life)
      })
      service
        .stop(grace, async () => {})
        .then(
          () => this.kill(life, forMs),
          (error) => world.wrong.push(`a shutdown failed: ${error.stack}`),
        )
    })
  }

  private again(forMs: number): void {
    this.service = undefined
    this.deps.world.after(forMs, () => {
      this.life = this.begin()
    })
  }

  private begin(): Life {
    const { world, network, servers, receivers, runsPerProcess, executed } = this.deps
    const life = new Life(this.machine, ++this.lives)
    world.as(life, () => {
      const stores = storesOf(network, servers, new Keyring(config))
      const logger = loggerOf(world)
      const pool = new SimulatedPool({ network, logger, runsPerProcess, executed })
      startService({ config, logger, simulated: { stores, catalogue, pool, send: receivers.send } }).then(
        (service) => {
          if (!life.isDead && life === this.life) this.service = service
        },
        (error) => {
          // A store was unavailable: the process exits, and its supervisor restarts it.
          if ((error as Error).name !== 'StoreUnavailable') world.wrong.push(`a start failed: ${error.stack}`)
          this.kill(life, AGAIN_MS)
        },
      )
    })
    return life
  }
}

/** Log lines that only a defect of the service writes. */
const DEFECTS = [
  'A projection could not handle an event',
  'A run failed on this worker',
  'A request failed unexpectedly',
]

/** The logger of a process: counts lines and looks for defects. */
function loggerOf(world: World): Logger {
  const say = (fields: { readonly err?: unknown }, message: string) => {
    world.count(`log: ${message}`)
    if (!DEFECTS.some((defect) => message.startsWith(defect))) return
    const { err } = fields
    if ((err as Error | undefined)?.name !== 'StoreUnavailable')
      world.wrong.push(`${message} ${(err as Error | undefined)?.stack ?? JSON.stringify(fields)}`)
  }
  const quiet = () => {}
  return {
    fatal: say,
    error: say,
    warn: say,
    info: quiet,
    debug: quiet,
    trace: quiet,
    silent: quiet,
    isLevelEnabled: () => false,
  } as unknown as Logger
}
