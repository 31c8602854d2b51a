/**
 * The HTTP clients of this process, which keep connections over its runs.
 *
 * @module
 */
import type { HttpClient } from './transport.ts'

const clients = new Map<string, Promise<HttpClient>>()

/**
 * The client for a source's requests. It is loaded when it is first needed: it takes 7 MB, and many runs ask nobody.
 *
 * @param isReplaced its origin is replaced: the settings allow that one, wherever it is, and it is reached directly
 * @param proxyUrl PROXY_URL
 */
export function clientFor(isReplaced: boolean, proxyUrl: string | null): Promise<HttpClient> {
  const key = isReplaced ? 'replaced' : (proxyUrl ?? 'direct')
  const known = clients.get(key)
  if (known) return known
  const made = load(isReplaced ? { proxyUrl: null, allowsAddress: () => true } : { proxyUrl })
  clients.set(key, made)
  return made
}

async function load(options: ConstructorParameters<typeof HttpClient>[0]): Promise<HttpClient> {
  const { HttpClient: Client } = await import('./transport.ts')
  return new Client(options)
}
