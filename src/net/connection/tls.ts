/**
 * TLS on a connection that is open.
 *
 * @module
 */
import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { withTimeout } from '../../async/delay.ts'
import { late, withoutBrackets } from './checked-connect.ts'
import { meterOf } from './meter.ts'

export type TlsOptions = {
  /** time limit for the handshake, in milliseconds */
  readonly connectMs: number
  /** trusted certificates in place of the default ones, as PEM */
  readonly ca?: string | undefined
}

/**
 * Starts TLS on a connection.
 *
 * @param host as in `URL.hostname`
 * @throws when the certificate is not for the host, or not signed by a trusted authority; both sockets are destroyed
 */
export async function encrypted(
  socket: Socket,
  host: string,
  { connectMs, ca }: TlsOptions,
): Promise<TLSSocket> {
  const bare = withoutBrackets(host)
  const secured = connect({
    socket,
    host: bare,
    ...(isIP(bare) === 0 ? { servername: bare } : {}),
    ALPNProtocols: ['http/1.1'],
    ...(ca === undefined ? {} : { ca }),
  })
  meterOf(socket)?.encrypt(secured)
  try {
    await withTimeout(connectMs, once(secured, 'secureConnect'), late)
    return secured
  } catch (error) {
    meterOf(socket)?.of(error as Error)
    // The caller may have given up, and nothing else would close the sockets.
    secured.destroy()
    socket.destroy()
    throw error
  }
}
