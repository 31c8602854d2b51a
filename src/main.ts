/**
 * The program: the command line, and the server of the runtime it runs on. The only place that names a runtime.
 *
 * @module
 */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { clock } from './async/clock.ts'
import { setTimeout } from './async/timers.ts'
import { runCli } from './cli/cli.ts'
import { whyNotWritten } from './cli/doctor/machine.ts'
import { CommandFailed, OK } from './cli/failure.ts'
import { processIo, type Started } from './cli/io.ts'
import { type Config, isEmbedded } from './config.ts'
import type { App } from './http/api.ts'
import { whileStarting } from './http/routes/system.ts'
import { createLogger } from './logger.ts'
import { type Service, startService } from './service.ts'
import { FolderInUse, lockFolder } from './sqlite/lock.ts'

/** A listening server, whatever the runtime. */
type Server = {
  readonly port: number
  /** Takes no more requests and waits for those under way; `now` drops them, or leaves that to the process's end. */
  close(now: boolean): Promise<void>
}
type Fetch = (request: Request) => Response | Promise<Response>

/** Bun closes a connection after so many silent seconds; longer calls ask for more with `hold`. */
const IDLE_S = 120

let bunServer: ReturnType<typeof Bun.serve> | undefined
/** Deno passes the address of a connection beside each request. */
const connections = new WeakMap<Request, string>()

function listen(config: Config, fetch: Fetch): Server {
  const { host: hostname, port } = config
  if (typeof Bun !== 'undefined') {
    const server = Bun.serve({ hostname, port, fetch, idleTimeout: IDLE_S })
    bunServer = server
    return { port: server.port ?? port, close: (now) => server.stop(now) }
  }
  const deno = (globalThis as unknown as { Deno: DenoServe }).Deno
  const server = deno.serve({ hostname, port, onListen: () => {} }, (request, { remoteAddr }) => {
    connections.set(request, remoteAddr.hostname)
    return fetch(request)
  })
  // A server that shuts down can't drop anything any more.
  return { port: server.addr.port, close: (now) => (now ? Promise.resolve() : server.shutdown()) }
}

type DenoServe = {
  serve(
    options: { hostname: string; port: number; onListen: () => void },
    handle: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname: string } },
    ) => Response | Promise<Response>,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
}

/** How long requests under way may take to end when the server stops, in milliseconds. */
const CLOSE_MS = 5000

/**
 * Runs a server until SIGTERM or SIGINT. A second signal, a while after the first, ends the grace.
 *
 * @param started called once it answers, in place of telling where the console is set up
 * @throws {CommandFailed} when it can't start
 */
async function serve(config: Config, started?: Started): Promise<void> {
  const logger = createLogger(config.logLevel)
  const unlock = isEmbedded(config) ? lock(config.dataDir) : undefined
  let app: App | undefined
  // The port is known before the service is: what it hands out names it.
  const server = await bound(config, (request) => app?.fetch(request) ?? whileStarting(request))
  const stopped = stopSignal()
  const publicUrl = config.publicUrl.replace(/:0$/, `:${server.port}`)
  const listening = { ...config, port: server.port, publicUrl }
  const starting = startService({
    config: listening,
    logger,
    hold: (request) => {
      bunServer?.timeout(request, 0)
      return () => bunServer?.timeout(request, IDLE_S)
    },
    connectionOf: (request) => bunServer?.requestIP(request)?.address ?? connections.get(request),
  })
  // A start may wait for its stores for long.
  const service = await Promise.race([starting, stopped.first])
  if (!service) {
    unlock?.()
    logger.info('Stopped before the start was complete.')
    return endSoon()
  }
  app = service.app
  greet(listening, started ? { ...service, setupLink: null } : service)
  started?.(publicUrl, service.setupLink)
  await stopped.first
  logger.info('Stopping. New runs are refused; running ones may go on for SHUTDOWN_GRACE_S.')
  const grace = Promise.race([
    stopped.second,
    new Promise<void>((done) => setTimeout(done, config.shutdownGraceS * 1000).unref()),
  ])
  await service.stop(
    grace.then(() => {}),
    () => close(server),
  )
  unlock?.()
  logger.info('Stopped.')
  endSoon()
}

function lock(dataDir: string): () => void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK)
    return lockFolder(dataDir)
  } catch (error) {
    if (error instanceof FolderInUse) throw error
    throw new CommandFailed(`DATA_DIR ${dataDir} cannot be used: ${whyNotWritten(error)}`)
  }
}

async function bound(config: Config, fetch: Fetch): Promise<Server> {
  try {
    return listen(config, fetch)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandFailed(
      `Cannot listen on HOST ${config.host}, PORT ${config.port}: ${code === 'EADDRINUSE' ? 'the port is in use' : message}`,
    )
  }
}

async function close(server: Server): Promise<void> {
  const late = new Promise<'late'>((done) => setTimeout(() => done('late'), CLOSE_MS).unref())
  if ((await Promise.race([server.close(false), late])) === 'late') await server.close(true)
}

/** A terminal's Ctrl-C reaches a program twice when what started it passes signals on: only a later one counts. */
const SECOND_MS = 1000

function stopSignal(): { readonly first: Promise<void>; readonly second: Promise<void> } {
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  let at: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const now = clock.monotonic()
      if (at === undefined) {
        at = now
        first.resolve()
      } else if (now - at > SECOND_MS) second.resolve()
    })
  }
  return { first: first.promise, second: second.promise }
}

/** Prints the start; a new key is shown only here. */
function greet({ host, port, publicUrl }: Config, { newKey, setupLink }: Service): void {
  console.log(`Gleaner listens at http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  console.log(`Documentation: ${publicUrl}/docs`)
  if (newKey !== null) console.log(`Admin key of the account "default", shown this once: ${newKey}`)
  if (setupLink !== null) console.log(`Set up the console within 24 hours, once: ${setupLink}`)
}

/** How long what was printed may take to reach its reader, in milliseconds. */
const FLUSH_MS = 200

/** What is left open, by a start that failed or by clients that do not read, must not keep the process alive. */
const endSoon = () => void setTimeout(() => process.exit(), FLUSH_MS).unref()

if (import.meta.main) {
  process.exitCode = await runCli(process.argv.slice(2), serve, processIo())
  if (process.exitCode !== OK) endSoon()
}
