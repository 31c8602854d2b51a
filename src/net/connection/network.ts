/**
 * The network transports of this process. Their connections are shared between its runs.
 *
 * @module
 */
import type { Transport } from '../transport/transport.ts'

const transports = new Map<string, Promise<Transport>>()

/**
 * The transport for a source's requests. Its modules are loaded at the first request: they take 7 MB, and many runs
 * make no requests.
 *
 * @param isReplaced the source's origin is replaced: the settings allow the replacement at any address, and it is
 *   reached directly
 * @param proxyUrl PROXY_URL
 */
export function network(isReplaced: boolean, proxyUrl: string | null): Transport {
  const key = isReplaced ? 'replaced' : (proxyUrl ?? 'direct')
  const options = isReplaced ? { proxyUrl: null, allowsAddress: () => true } : { proxyUrl }
  return async (request) => {
    let transport = transports.get(key)
    if (!transport) {
      transport = import('./network-transport.ts').then((module) => module.networkTransport(options))
      transports.set(key, transport)
    }
    return (await transport)(request)
  }
}
