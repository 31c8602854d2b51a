/**
 * Connections to EventStoreDB, made from a connection string.
 *
 * @module
 */
import { EventStoreDBClient } from '@eventstore/db-client'
import { ConfigError } from '../config.ts'

/**
 * The two connections of a process. A connection carries 100 calls at once, and a subscription is one for as long as it
 * lasts, so subscriptions have their own.
 */
export type Connection = {
  readonly calls: EventStoreDBClient
  readonly subscriptions: EventStoreDBClient
  close(): Promise<void>
}

/** The client warns below. A dead connection is noticed after interval and timeout together. */
const KEEP_ALIVE_MS = 10_000
const KEEP_ALIVE_TIMEOUT_MS = 3000

/**
 * Connects, later: nothing is sent before the first call.
 *
 * @param url `esdb://…`, `esdb+discover://…` or the same with `kurrentdb`
 * @throws {ConfigError} for a connection string that can't be used
 */
export function connect(url: string): Connection {
  const calls = clientOf(url, KEEP_ALIVE_MS)
  // Clients with the same options share a connection: another interval makes it another one.
  const subscriptions = clientOf(url, KEEP_ALIVE_MS + 1)
  return {
    calls,
    subscriptions,
    async close() {
      await Promise.all([calls.dispose(), subscriptions.dispose()])
    },
  }
}

function clientOf(url: string, keepAliveMs: number): EventStoreDBClient {
  try {
    const client = EventStoreDBClient.connectionString(withOptions(url, keepAliveMs))
    // Without it appends share one stream and one table over the whole process: a broken one fails all the others,
    // and they know no deadline (@eventstore/db-client 6.2.1).
    return Object.assign(client, { supports: async () => false })
  } catch (error) {
    throw new ConfigError(`EVENTSTORE_URL can't be used: ${reasonOf(error)}; what it holds is not shown`)
  }
}

/** The client's own words hold the connection string, and so the password, but for those about files. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return /certificate/i.test(message) ? message : 'it is no connection string of EventStoreDB'
}

function withOptions(url: string, keepAliveMs: number): string {
  const [address = '', query = ''] = url.replace(/^kurrentdb/, 'esdb').split('?')
  const options = new Map(
    query
      .split('&')
      .filter(Boolean)
      .map((option) => [(option.split('=')[0] ?? '').toLowerCase(), option]),
  )
  // Without an error the client tells wrong revisions.
  options.delete('throwonappendfailure')
  options.set('keepaliveinterval', `keepAliveInterval=${keepAliveMs}`)
  const defaults = { keepAliveTimeout: `${KEEP_ALIVE_TIMEOUT_MS}`, connectionName: 'gleaner' }
  for (const [name, value] of Object.entries(defaults)) {
    if (!options.has(name.toLowerCase())) options.set(name.toLowerCase(), `${name}=${value}`)
  }
  return `${address}?${[...options.values()].join('&')}`
}
