/**
 * Connections to EventStoreDB, made from a connection string.
 *
 * @module
 */
import { EventStoreDBClient } from '@eventstore/db-client'
import type { StreamsClient as Streams } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { ConfigError } from '../../config.ts'
import { StreamsClient } from './messages.ts'

/** A call that takes appends and answers them, until it fails or ends. */
export type AppendCall = ReturnType<Streams['batchAppend']>

/**
 * The three connections of a process. One carries 100 calls at once, and a subscription is a call for as long as it
 * lasts, so subscriptions have their own; and so have appends, whose call is given up with its connection.
 */
export type Connection = {
  /** Opens a call for appends, at the leader; after one that failed perhaps over a new connection. */
  openAppends(): Promise<AppendCall>
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
  const appends = clientOf(url, KEEP_ALIVE_MS + 2)
  return {
    openAppends: () => openAppends(appends),
    calls,
    subscriptions,
    async close() {
      await Promise.all([calls, subscriptions, appends].map((client) => client.dispose()))
    },
  }
}

function clientOf(url: string, keepAliveMs: number): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(withOptions(url, keepAliveMs))
  } catch (error) {
    throw new ConfigError(`EVENTSTORE_URL cannot be used: ${reasonOf(error)}. Its value is not shown.`)
  }
}

/** With the client's own means for streams, which find the leader and connect again after the end of a connection. */
function openAppends(client: EventStoreDBClient): Promise<AppendCall> {
  const inner = client as unknown as Inner
  const open = (streams: Streams) =>
    streams.batchAppend(...inner.callArguments({ requiresLeader: true }, { deadline: Infinity }))
  return inner.GRPCStreamCreator(StreamsClient, 'appends', open)()
}

/** What the client keeps for those that extend it. */
type Inner = {
  callArguments(options: object, callOptions: object): Parameters<Streams['batchAppend']>
  GRPCStreamCreator<T>(
    client: typeof StreamsClient,
    name: string,
    open: (streams: Streams) => T,
  ): () => Promise<T>
}

/** The client's own words hold the connection string, and so the password, but for those about files. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return /certificate/i.test(message) ? message : 'it is not an EventStoreDB connection string'
}

function withOptions(url: string, keepAliveMs: number): string {
  const [address = '', query = ''] = url.replace(/^kurrentdb/, 'esdb').split('?')
  const given = [
    `keepAliveTimeout=${KEEP_ALIVE_TIMEOUT_MS}`,
    'connectionName=gleaner',
    ...query.split('&').filter(Boolean),
    `keepAliveInterval=${keepAliveMs}`,
  ]
  // Of a name that comes twice, in any case of its letters, the last one counts.
  const options = new Map(given.map((option) => [option.split('=')[0]?.toLowerCase(), option]))
  return `${address}?${[...options.values()].join('&')}`
}
