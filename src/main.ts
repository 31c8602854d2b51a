/**
 * The entry point: the command line, and the HTTP server of the current runtime. The only module that names a runtime.
 *
 * @module
 */
import { addTools } from '../tools/commands.ts'
import { setTimeout } from './async/timers.ts'
import { runCli } from './cli/cli.ts'
import { CommandFailed, OK } from './cli/failure.ts'
import { onStop, processIo, type Started } from './cli/io.ts'
import { lockDataDir } from './cli/stores.ts'
import { type Config, hasEmbeddedLog } from './config.ts'
import type { App } from './http/api.ts'
import type { Deps } from './http/deps.ts'
import { holdOpen } from './http/hold-open.ts'
import { whileStarting } from './http/routes/system.ts'
import { createLogger } from './logger.ts'
import { startService } from './service.ts'

/** A listening server, independent of the runtime. */
type Server = {
  readonly port: number
  /** Accepts no new requests and waits for the current ones; `now` drops them, at the latest when the process ends. */
  close(now: boolean): Promise<void>
  readonly connections: Pick<Deps, 'hold' | 'connectionOf'>
}
type Fetch = (request: Request) => Response | Promise<Response>

/** Bun closes a connection after this many idle seconds. `hold` keeps it open for longer. */
const IDLE_S = 120

/** How often a held connection's idle limit is restarted, in milliseconds. */
const HOLD_MS = (IDLE_S / 4) * 1000

/** Bun refuses a larger request itself, without problem details. The API's own limit is 1 MiB. */
const MOST_BYTES = 1024 ** 3

function listen(config: Config, fetch: Fetch): Server {
  const { host: hostname, port } = config
  if (typeof Bun !== 'undefined') {
    const server = Bun.serve({ hostname, port, fetch, idleTimeout: IDLE_S, maxRequestBodySize: MOST_BYTES })
    const connections: Server['connections'] = {
      hold(request) {
        // Bun forgets the address of a request when its answer is sent or its client is gone.
        const isOpen = () => server.requestIP(request) !== null
        return holdOpen({ isOpen, restartIdleLimit: () => server.timeout(request, IDLE_S) }, HOLD_MS)
      },
      connectionOf: (request) => server.requestIP(request)?.address,
    }
    return { port: server.port ?? port, close: (now) => server.stop(now), connections }
  }
  const deno = (globalThis as unknown as { Deno: DenoServe }).Deno
  const addresses = new WeakMap<Request, string>()
  const server = deno.serve({ hostname, port, onListen: () => {} }, (request, { remoteAddr }) => {
    addresses.set(request, remoteAddr.hostname)
    return fetch(request)
  })
  return {
    port: server.addr.port,
    // Deno cannot drop requests once the shutdown has begun.
    close: (now) => (now ? Promise.resolve() : server.shutdown()),
    connections: { connectionOf: (request) => addresses.get(request) },
  }
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

/** Time for requests under way to complete when the server stops, in milliseconds. */
const CLOSE_MS = 5000

/**
 * Runs a server until SIGTERM, SIGINT or SIGHUP. A second signal, over a second after the first, ends the grace period.
 *
 * @param started called once the server answers; receives the setup link, which is then not printed
 * @throws {CommandFailed} when the server can't start
 */
async function serve(config: Config, started?: Started): Promise<void> {
  const logger = createLogger(config.logLevel)
  const unlock = hasEmbeddedLog(config) ? lockDataDir(config.dataDir) : undefined
  let app: App | undefined
  // The server listens before the service starts, since the service's URLs contain the port.
  let { publicUrl } = config
  const server = await bound(config, (request) => app?.fetch(request) ?? whileStarting(request, publicUrl))
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  onStop(first.resolve, () => second.resolve())
  publicUrl = publicUrl.replace(/:0$/, `:${server.port}`)
  const listening = { ...config, port: server.port, publicUrl }
  const starting = startService({
    config: listening,
    logger,
    onDamaged: (path, err) => {
      logger.fatal({ err, path }, DAMAGED)
      process.exit(1)
    },
    ...server.connections,
  })
  // The start may wait long for its stores.
  const service = await Promise.race([starting, first.promise])
  if (!service) {
    unlock?.()
    logger.info('Stopped before the start was complete.')
    return endSoon()
  }
  app = service.app
  greet(listening, service.newKey)
  void service.setupLink
    .catch((err) => {
      logger.error({ err }, 'No link for setting up the console could be created.')
      return null
    })
    .then((link) => (started ? started(publicUrl, link) : greetOperator(link)))
  await first.promise
  logger.info('Stopping. New runs are refused; running ones may continue for SHUTDOWN_GRACE_S.')
  const grace = Promise.race([
    second.promise,
    new Promise<void>((done) => setTimeout(done, config.shutdownGraceS * 1000).unref()),
  ])
  await service.stop(grace, () => close(server))
  unlock?.()
  logger.info('Stopped.')
  endSoon()
}

/** Serving on would answer from half a log, and write behind it. */
const DAMAGED =
  'The event log is damaged, and the server has stopped. Restore DATA_DIR from your backup, as docs/operations.md says. "gleaner doctor --deep" checks all files.'

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

/** Prints where the server listens. The first key is shown only here. */
function greet({ host, port, publicUrl, roles }: Config, newKey: string | null): void {
  console.log(`Gleaner listens at http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  if (roles.has('api')) console.log(`Documentation: ${publicUrl}/docs`)
  if (newKey !== null) console.log(`Admin key of the account "default", shown until its first use: ${newKey}`)
}

function greetOperator(setupLink: string | null): void {
  if (setupLink !== null) console.log(`Set up the console within 24 hours, once: ${setupLink}`)
}

/** Time for printed output to reach its reader, in milliseconds. */
const FLUSH_MS = 200

/** Ends the process even if a failed start, or clients that do not read, left handles open. */
const endSoon = () => void setTimeout(() => process.exit(), FLUSH_MS).unref()

if (import.meta.main) {
  process.exitCode = await runCli(process.argv.slice(2), addTools, serve, processIo())
  if (process.exitCode !== OK) endSoon()
}
