/**
 * The network transports of this process. The connections of an exit are shared between its runs.
 *
 * @module
 */
import type { ExitUrl } from '../exits/choose.ts'
import type { Transport } from '../transport/transport.ts'
import type { Connections } from './connections.ts'
import type { OnBytes } from './meter.ts'

/** The connections of one exit. @property underWay its exchanges */
type Pool = { readonly connections: Connections; underWay: number }

/**
 * A template makes an exit for each run. Idle connections close after seconds, and an idle pool is dropped once there
 * are more than this.
 */
const MOST_POOLS = 64
const load = () => import('./network-transport.ts')
/** by exit, the one used last at the end */
const pools = new Map<string, Pool>()

/**
 * The transport for a source's requests. Its modules are loaded at the first request: they take 7 MB, and many runs
 * make no requests.
 *
 * @param isReplaced the source's origin is replaced: the settings allow the replacement at any address, and it is
 *   reached directly
 * @param exit null: direct
 * @param onBytes called with the bytes of each exchange on the wire, as they become known
 */
export function network(isReplaced: boolean, exit: ExitUrl | null, onBytes?: OnBytes): Transport {
  const key = isReplaced ? 'replaced' : (exit?.url ?? 'direct')
  const proxyUrl = isReplaced ? null : (exit?.url ?? null)
  const options = { proxyUrl, ...(isReplaced && { allowsAddress: () => true }) }
  return async (request) => {
    const { connectionsOf, exchange } = await load()
    const pool = pools.get(key) ?? { connections: connectionsOf(options), underWay: 0 }
    pools.delete(key)
    pools.set(key, pool)
    pool.underWay++
    dropIdle()
    const onEnd = () => {
      pool.underWay--
      dropIdle()
    }
    return exchange(pool.connections, request, { onBytes, onEnd })
  }
}

/** The number of exits that have connections, or had some of late. */
export const poolCount = (): number => pools.size

function dropIdle(): void {
  for (const [key, { connections, underWay }] of pools) {
    if (pools.size <= MOST_POOLS) return
    if (underWay > 0) continue
    pools.delete(key)
    connections.close()
  }
}
