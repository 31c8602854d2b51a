/**
 * SOCKS5: RFC 1928, with user and password as in RFC 1929.
 *
 * @module
 */
import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ExitFailed } from '../transport/transport.ts'
import { withoutBrackets } from './checked-connect.ts'
import { received } from './handshake.ts'

const VERSION = 5
const NO_AUTHENTICATION = 0
const PASSWORD = 2
const CONNECT = 1
const MOST_BYTES = 255
const V4 = 1
const NAME = 3
const V6 = 4
/** Refusals that say that the host cannot be reached, from any address: network, host, connection, time to live. */
const OF_THE_HOST: ReadonlySet<number> = new Set([3, 4, 5, 6])

/**
 * Asks a proxy to connect to a host. The proxy resolves the host's name.
 *
 * @param host as in `URL.hostname`
 * @throws {ExitFailed} when the proxy refuses
 * @throws an error when the host can't be reached
 */
export async function connectBySocks(
  socket: Socket,
  { username, password }: URL,
  host: string,
  port: number,
): Promise<void> {
  const methods = username === '' ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, PASSWORD]
  socket.write(Buffer.from([VERSION, methods.length, ...methods]))
  const [version, method] = await received(socket, () => 2)
  if (version !== VERSION) throw new ExitFailed('it does not speak SOCKS5')
  if (method === PASSWORD) {
    // Not by `Buffer.from`: small buffers share their memory with those of plugins.
    const [user = [], secret = []] = [username, password].map((each) => [
      ...new TextEncoder().encode(decodeURIComponent(each)),
    ])
    if (user.length > MOST_BYTES || secret.length > MOST_BYTES)
      throw new ExitFailed('its user or password is too long for SOCKS5')
    socket.write(Uint8Array.from([1, user.length, ...user, secret.length, ...secret]))
    const [, status] = await received(socket, () => 2)
    if (status !== 0) throw new ExitFailed('it refuses the user and password')
  } else if (method !== NO_AUTHENTICATION)
    throw new ExitFailed(username === '' ? 'it wants a user and password' : 'it accepts no user and password')
  const head = Buffer.from([VERSION, CONNECT, 0])
  socket.write(Buffer.concat([head, addressOf(withoutBrackets(host)), Buffer.from([port >> 8, port & 0xff])]))
  const [, reply = 0] = await received(socket, lengthOfReply)
  if (OF_THE_HOST.has(reply)) throw new Error(`the host cannot be reached: SOCKS reply ${reply}`)
  if (reply !== 0) throw new ExitFailed(`SOCKS reply ${reply}`, 'here')
}

/** Bytes with their number before them. */
const counted = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes])

function addressOf(host: string): Buffer {
  const family = isIP(host)
  if (family === 0) return Buffer.concat([Buffer.from([NAME]), counted(Buffer.from(host))])
  return Buffer.from([family === 4 ? V4 : V6, ...ipaddr.parse(host).toByteArray()])
}

/** Version, reply, a zero, the address from which the proxy connects, its port. Refusals may end after the reply. */
function lengthOfReply(beginning: Buffer): number | undefined {
  const [, reply, , type, nameLength] = beginning
  if (reply !== undefined && reply !== 0) return 2
  if (type === V4) return 4 + 4 + 2
  if (type === V6) return 4 + 16 + 2
  return nameLength === undefined ? undefined : 4 + 1 + nameLength + 2
}
