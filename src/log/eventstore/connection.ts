/**
 * Connections to EventStoreDB, created from a connection string.
 *
 * @module
 */
import { EventStoreDBClient } from '@eventstore/db-client'
import type { StreamsClient as Streams } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { ConfigError } from '../../config.ts'
import { StreamsClient } from './messages.ts'

/** A bidirectional call for appends and their answers, usable until it fails or ends. */
export type AppendCall = ReturnType<Streams['batchAppend']>

/** The three connections of a process. */
export type Connection = ReturnType<typeof connect>

/** The client warns about shorter intervals. A dead connection is detected after interval plus timeout. */
const KEEP_ALIVE_MS = 10_000
const KEEP_ALIVE_TIMEOUT_MS = 3000

/**
 * Connects lazily: nothing is sent before the first call.
 *
 * A connection carries at most 100 concurrent calls, and a subscription is one call for as long as it lasts, so
 * subscriptions use a separate connection. Appends use another, because their call is abandoned together with its
 * connection.
 *
 * @param url `esdb://…`, `esdb+discover://…` or the same with `kurrentdb`
 * @throws {ConfigError} for an invalid connection string
 */
export function connect(url: string) {
  const calls = clientOf(url, KEEP_ALIVE_MS)
  // Clients with the same options share a connection, so the intervals differ.
  const subscriptions = clientOf(url, KEEP_ALIVE_MS + 1)
  const appends = clientOf(url, KEEP_ALIVE_MS + 2)
  return {
    /** Opens a call for appends at the leader. After a failed call it may use a new connection. */
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

/** Uses the client's internals for streams, which find the leader and reconnect. */
function openAppends(client: EventStoreDBClient): Promise<AppendCall> {
  const inner = client as unknown as Inner
  const open = (streams: Streams) =>
    streams.batchAppend(...inner.callArguments({ requiresLeader: true }, { deadline: Infinity }))
  return inner.GRPCStreamCreator(StreamsClient, 'appends', open)()
}

/** Methods that the client offers to its subclasses only. */
type Inner = {
  callArguments(options: object, callOptions: object): Parameters<Streams['batchAppend']>
  GRPCStreamCreator<T>(
    client: typeof StreamsClient,
    name: string,
    open: (streams: Streams) => T,
  ): () => Promise<T>
}

/**
 * The client's messages contain the connection string, and so the password, except for those about certificate files.
 */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return /certificate/i.test(message) ? message : 'it is not an EventStoreDB connection string'
}

function withOptions(url: string, keepAliveMs: number): string {
  const [address = '', query = ''] = url.replace(/^kurrentdb/, 'esdb').split('?')
  const parts = [
    `keepAliveTimeout=${KEEP_ALIVE_TIMEOUT_MS}`,
    'connectionName=gleaner',
    ...query.split('&').filter(Boolean),
    `keepAliveInterval=${keepAliveMs}`,
  ]
  // Option names are case-insensitive. Of duplicates the last one wins.
  const options = new Map(parts.map((option) => [option.split('=')[0]?.toLowerCase(), option]))
  return `${address}?${[...options.values()].join('&')}`
}
