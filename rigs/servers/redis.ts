/**
 * Real Redis servers for tests: on a free port, in a temporary folder, stopped at the end of the test file.
 *
 * @module
 */
import { afterAll } from 'bun:test'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { temporaryFolder } from '../support/temporary.ts'

const PROGRAM = process.env.REDIS_SERVER_PATH || 'redis-server'

/** Whether a server program is available: otherwise the tests that need it are skipped, and counted as such. */
export const hasRedis = spawnSync(PROGRAM, ['--version']).status === 0
/** Whether the port of the cluster bus can be set: Redis 7, Valkey. */
export const hasCluster = /v=(?:[7-9]|\d\d)/.test(spawnSync(PROGRAM, ['--version']).stdout?.toString() ?? '')

/** A server under full control of a test. */
export type TestRedis = {
  readonly port: number
  /** the port of the cluster bus */
  readonly busPort: number
  readonly url: string
  /** Sends one command over a separate connection. */
  command(...args: (string | number)[]): Promise<unknown>
  /** Shuts the server down without saving, and resolves when its process has ended. */
  stop(): Promise<void>
  /** Starts the server again on the same port, with its persisted data. */
  start(): Promise<void>
  /** SIGSTOP: the server answers nothing, and its connections stay open. */
  freeze(): void
  thaw(): void
}

/** Starts servers; call it at the top of a test file. */
export function redisServers(): { start(...options: readonly string[]): Promise<TestRedis> } {
  const folder = temporaryFolder()
  const servers: Server[] = []
  let folders = 0
  afterAll(() => Promise.all(servers.map((server) => server.stop())), 60_000)
  return {
    async start(...options) {
      const server = new Server(join(folder, `${++folders}`), await freePort(), await freePort(), options)
      servers.push(server)
      await server.start()
      return server
    },
  }
}

class Server implements TestRedis {
  private child: ChildProcess | undefined
  private ended: Promise<unknown> = Promise.resolve()
  private client: Redis | undefined

  constructor(
    private readonly folder: string,
    readonly port: number,
    readonly busPort: number,
    private readonly options: readonly string[],
  ) {
    mkdirSync(folder)
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const usual = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.folder, '--save', '']
    // The default is the client port plus 10,000, which may be beyond the last port.
    const bus = this.options.includes('--cluster-enabled') ? ['--cluster-port', `${this.busPort}`] : []
    const child = spawn(PROGRAM, [...usual, ...bus, ...this.options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.child = child
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject)
      // Not "close": on Bun it may never fire if the child was killed while its stdout is read.
      child.once('exit', resolve)
    })
    for await (const line of createInterface({ input: child.stdout! })) {
      if (/Ready to accept connections/.test(line)) {
        child.stdout!.resume()
        return
      }
    }
    throw new Error(`${PROGRAM} did not start on port ${this.port}`)
  }

  async command(...[name = 'PING', ...args]: (string | number)[]): Promise<unknown> {
    if (!this.client) {
      this.client = new Redis(this.port, '127.0.0.1', { maxRetriesPerRequest: null, enableReadyCheck: false })
      this.client.on('error', () => {})
    }
    return await this.client.call(String(name), args)
  }

  async stop(): Promise<void> {
    this.client?.disconnect()
    this.client = undefined
    this.thaw()
    this.child?.kill('SIGKILL')
    await this.ended
    this.child = undefined
  }

  freeze(): void {
    this.signal('SIGSTOP')
  }

  thaw(): void {
    this.signal('SIGCONT')
  }

  /** Not with the child's own `kill`: on Deno the exit event of a child that got SIGCONT that way never fires. */
  private signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid, exitCode, signalCode } = this.child ?? {}
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(pid, name)
  }
}

/**
 * Records all commands that a server gets from now on, from all clients.
 *
 * @returns a line for each command, as `MONITOR` prints it, in an array that grows until `close` is called
 */
export async function monitored({ port }: TestRedis) {
  // Without ioredis: it mistakes a command that arrives in one packet with the answer for an unexpected answer.
  const socket = connect(port, '127.0.0.1')
  const lines = createInterface({ input: socket })
  const commands: string[] = []
  lines.on('line', (line) => commands.push(line))
  socket.write('MONITOR\r\n')
  await once(lines, 'line')
  const reply = commands.shift()
  if (reply !== '+OK') throw new Error(`MONITOR: ${reply}`)
  return { commands, close: () => socket.destroy() }
}

/** Below the ephemeral ports, so no other process gets the port between its choice and its use. */
const PORTS = { from: 10_000, to: 30_000 }
const takenPorts = new Set<number>()

/** A free port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from))
    if (takenPorts.has(port)) continue
    takenPorts.add(port)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((tell) => {
    const server = createServer()
    server.once('error', () => tell(false))
    server.listen(port, '127.0.0.1', () => server.close(() => tell(true)))
  })

/** Joins servers that were started with `--cluster-enabled yes` into a cluster and waits until it answers. */
export async function joined(servers: readonly TestRedis[]): Promise<void> {
  const [first] = servers
  const share = Math.ceil(16384 / servers.length)
  const meet = async (server: TestRedis) => {
    if (first && server !== first)
      await server.command('CLUSTER', 'MEET', '127.0.0.1', first.port, first.busPort)
  }
  for (const [i, server] of servers.entries()) {
    const last = Math.min(16383, (i + 1) * share - 1)
    await server.command('CLUSTER', 'ADDSLOTSRANGE', i * share, last)
    await server.command('CLUSTER', 'SET-CONFIG-EPOCH', i + 1)
    await meet(server)
  }
  for (const server of servers) {
    const isOk = async () => {
      const state = String(await server.command('CLUSTER', 'INFO'))
      const nodes = String(await server.command('CLUSTER', 'NODES'))
        .trim()
        .split('\n')
      const connected = nodes.filter((line) => / connected\b/.test(line) && !/handshake/.test(line))
      // Published messages reach only nodes that know each other, which may happen after all slots are served.
      return /cluster_state:ok/.test(state) && connected.length === servers.length
    }
    for (let looks = 1; !(await isOk()); looks++) {
      await new Promise((go) => setTimeout(go, 20))
      // A handshake may get lost and is not retried.
      if (looks % 50 === 0) for (const each of servers) await meet(each)
    }
  }
}
