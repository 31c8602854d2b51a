/**
 * An HTTP server on a free port of 127.0.0.1, which stands in for the site of a source or for a program of a user.
 *
 * @module
 */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Site = {
  readonly origin: string
  /** Ends the server with its connections, also those with requests under way. */
  stop(): Promise<void>
}

export async function startSite(listener: RequestListener): Promise<Site> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
