/**
 * A webhook endpoint that accepts every delivery.
 *
 * @module
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts an endpoint. */
export async function startReceiver(): Promise<{ readonly url: string; stop(): void }> {
  const server = createServer((request, response) =>
    request.resume().on('end', () => response.writeHead(204).end()),
  )
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
