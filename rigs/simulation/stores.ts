/**
 * The servers of a run, and the stores of each process on them.
 *
 * @module
 */
import { LocalLiveItems } from '../../src/runs/items/live-items.ts'
import type { Stores } from '../../src/stores.ts'
import type { Keyring } from '../../src/vault/keyring.ts'
import { Vault } from '../../src/vault/vault.ts'
import { artifactsOver, logOver, type Network, readModelsOver, storeOver } from './network.ts'
import { MemoryArtifacts } from './stores/artifacts.ts'
import { MemoryDeliveryStore } from './stores/deliveries.ts'
import { MemoryEphemeralStore } from './stores/ephemeral.ts'
import { MemoryLog } from './stores/log.ts'
import { MemoryReadModels } from './stores/read-models.ts'
import { MemoryTickets } from './stores/tickets.ts'
import { MemoryVaultObjects } from './stores/vault-objects.ts'

/** The data that outlives every process. @param now the clock of the servers, in milliseconds since 1970 */
export function openServers(now: () => number) {
  return {
    log: new MemoryLog(),
    readModels: new MemoryReadModels(),
    ephemeral: new MemoryEphemeralStore({ now }),
    deliveries: new MemoryDeliveryStore({ now }),
    tickets: new MemoryTickets(),
    artifacts: new MemoryArtifacts(now),
    vault: new MemoryVaultObjects(now),
  }
}
export type Servers = ReturnType<typeof openServers>

/** Redis loses all its data. */
export function emptyRedis({ readModels, ephemeral, deliveries, tickets }: Servers): void {
  for (const part of [readModels, ephemeral, deliveries, tickets]) part.clear()
}

/** The stores of one process. */
export function storesOf(network: Network, servers: Servers, keyring: Keyring): Stores {
  const redis = <T extends object>(
    name: string,
    store: T,
    writes: readonly (keyof T & string)[],
    local: readonly (keyof T & string)[] = [],
  ) => storeOver(network, 'redis', name, store, writes, local)
  const slots = redis('slots', servers.ephemeral.runSlots, ['acquire', 'renew', 'release'])
  const ephemeral = redis('ephemeral', servers.ephemeral, ['take', 'forget'], ['used', 'close'])
  const objects = storeOver(
    network,
    'objects',
    'vault',
    servers.vault,
    ['put', 'create', 'replace', 'delete'],
    ['close'],
  )
  return {
    log: logOver(network, servers.log),
    readModels: readModelsOver(network, servers.readModels),
    artifacts: artifactsOver(network, servers.artifacts),
    ephemeral: {
      runSlots: slots,
      pace: undefined,
      exitDays: servers.ephemeral.exitDays,
      exitRests: redis('exits', servers.ephemeral.exitRests, ['put', 'clear']),
      take: (...args) => ephemeral.take(...args),
      waitS: (...args) => ephemeral.waitS(...args),
      used: (...args) => ephemeral.used(...args),
      lastUsed: (names) => ephemeral.lastUsed(names),
      forget: (names) => ephemeral.forget(names),
      close: async () => {},
    },
    tickets: redis('tickets', servers.tickets, ['put', 'replace', 'take', 'end']),
    deliveries: redis(
      'deliveries',
      servers.deliveries,
      ['lease', 'release', 'queue', 'put', 'noted', 'forgive', 'sweep', 'forget'],
      ['close'],
    ),
    // Readers in other processes see a run's items at its end.
    liveItems: new LocalLiveItems(),
    signInTransport: undefined,
    vault: new Vault(objects, keyring),
    close: async () => {},
  }
}
