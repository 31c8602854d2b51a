/**
 * Connections through a proxy. The proxy resolves names itself, and may know names that this machine can't resolve. No
 * error names the proxy.
 *
 * @module
 */
import type { OutgoingHttpHeaders } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { withTimeout } from '../../async/delay.ts'
import { ExitFailed, ExitLate } from '../transport/transport.ts'
import { connectTo } from './checked-connect.ts'
import { received } from './handshake.ts'
import { meterOf } from './meter.ts'
import { connectBySocks } from './socks.ts'
import { encrypted, type TlsOptions } from './tls.ts'

/** How long a proxy may take to connect to a host. Gateways look for an address first. */
const TUNNEL_MS = 15_000
/** The longest answer to CONNECT, in bytes. */
const MOST_HEAD = 32 * 1024
/** Refusals of a user and password. tinyproxy answers 401 to wrong ones, 407 to none. */
const OF_CREDENTIALS: ReadonlySet<string> = new Set(['401', '407'])
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 }

export type ProxyOptions = TlsOptions & {
  /** time limit for the answer to CONNECT, in milliseconds; default {@link TUNNEL_MS} */
  readonly tunnelMs?: number | undefined
}

/** Connects to a proxy itself. @throws {ExitFailed} */
export async function reach(proxy: URL, options: TlsOptions): Promise<Socket> {
  const { hostname, protocol } = proxy
  const port = Number(proxy.port || PORTS[protocol])
  let socket: Socket | undefined
  try {
    socket = await connectTo(hostname, port, { allowsAddress: () => true }, options.connectMs)
    // Errors also close the socket, and its user notices that.
    socket.on('error', () => {})
    if (protocol !== 'https:') return socket
    const secured = await encrypted(socket, hostname, options)
    return secured.on('error', () => {})
  } catch (error) {
    throw failedBy(failureOf(error), socket)
  }
}

/**
 * Opens a connection to a host through a proxy.
 *
 * @param host as in `URL.hostname`, or without brackets
 * @throws {ExitFailed} when the proxy can't be reached or refuses
 * @throws an error when the proxy can't reach the host, as far as it says so
 */
export async function tunnel(proxy: URL, host: string, port: number, options: ProxyOptions): Promise<Socket> {
  const socket = await reach(proxy, options)
  const ask = proxy.protocol === 'socks5:' ? connectBySocks : connectByHttp
  // Most proxies wait as long as their system does for a site that does not answer at all.
  const late = () => new ExitLate('here')
  try {
    await withTimeout(options.tunnelMs ?? TUNNEL_MS, ask(socket, proxy, host, port), late)
    return socket
  } catch (error) {
    throw failedBy(error as Error, socket)
  }
}

/**
 * The header with the credentials in a proxy's URL; no header without credentials. Not by `Buffer.from`: small buffers
 * share their memory with those of plugins.
 */
export function credentialsOf({ username, password }: URL): OutgoingHttpHeaders {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  if (pair === ':') return {}
  const bytes = String.fromCharCode(...new TextEncoder().encode(pair))
  return { 'proxy-authorization': `Basic ${btoa(bytes)}` }
}

async function connectByHttp(socket: Socket, proxy: URL, host: string, port: number): Promise<void> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const headers = Object.entries({ host: target, ...credentialsOf(proxy) })
  const lines = [`CONNECT ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const head = (await received(socket, lengthOfHead)).toString('latin1')
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]
  if (status === undefined) throw new ExitFailed('it does not speak HTTP')
  if (status.startsWith('2')) return
  // Also of a site that is down: proxies answer 500, 502, 503 or 504 then, and nothing tells it from a fault of theirs.
  const where = OF_CREDENTIALS.has(status) ? 'everywhere' : 'here'
  throw new ExitFailed(`${status} to CONNECT`, where)
}

function lengthOfHead(beginning: Buffer): number | undefined {
  const end = beginning.indexOf('\r\n\r\n')
  if (end < 0 && beginning.length > MOST_HEAD) throw new ExitFailed('its answer to CONNECT is too long')
  return end < 0 ? undefined : end + 4
}

/** Closes a connection that failed. Its bytes belong to the request that asked for it, which gets only the error. */
function failedBy(error: Error, socket: Socket | undefined): Error {
  meterOf(socket)?.of(error)
  socket?.destroy()
  return error
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ENOTFOUND: 'its name cannot be resolved',
  EAI_AGAIN: 'its name cannot be resolved',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ECONNRESET: 'it closed the connection',
}

/** In words without the proxy's address, which is in most errors of connections. */
function failureOf(error: unknown): ExitFailed {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === 'ETIMEDOUT' || /timed out/.test(message)) return new ExitLate('everywhere')
  const isCertificate = /CERT|SIGN|VERIFY/.test(code) || /certificate/i.test(message)
  const isTls = /SSL|TLS/i.test(code + message)
  const other = isTls ? 'TLS could not be established with it' : 'the connection failed'
  return new ExitFailed(REASONS[code] ?? (isCertificate ? 'its certificate is not valid' : other))
}
