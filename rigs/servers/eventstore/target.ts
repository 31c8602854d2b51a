/**
 * The server under test: the fake, or the real server at EVENTSTORE_URL. The real server may hold other data and have
 * other writers, so every test uses its own streams.
 *
 * @module
 */
import { afterAll, expect } from 'bun:test'
import { randomUUID } from 'node:crypto'
import {
  type AllStreamSubscription,
  type AppendToStreamOptions,
  type EventData,
  EventStoreDBClient,
  jsonEvent,
} from '@eventstore/db-client'
import { startEventStore } from './server.ts'

/** The URL of the real server, if it is set. */
export const REAL = process.env.EVENTSTORE_URL

/** Selects the unary append. Without TLS the credentials are not checked. */
export const credentials = { username: 'admin', password: 'changeit' }

/** A client of the server under test, and its URL. Call it at the top of a file: both end with the file. */
export async function openTarget(): Promise<{ readonly client: EventStoreDBClient; readonly url: string }> {
  endClients()
  if (REAL) return { client: clientOf(REAL), url: REAL }
  const server = await startEventStore()
  afterAll(() => server.stop())
  return { client: clientOf(server.url), url: server.url }
}

const clients = new Set<EventStoreDBClient>()

/** Ends all clients at the end of a test file. Call it at the top of a file without {@link openTarget}. */
export function endClients(): void {
  afterAll(async () => {
    const all = [...clients]
    clients.clear()
    await Promise.all(all.map((client) => client.dispose()))
  })
}

/** A client, which ends with the test file. Clients with the same options share a connection. */
export function clientOf(url: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(url)
  clients.add(client)
  return client
}

export const aStream = () => `fact-${randomUUID()}`

export function anEvent(data: Record<string, unknown> = {}, id: string = randomUUID()): EventData {
  return jsonEvent({ id, type: 'Fact', data, metadata: { of: 'test' } })
}

export const someEvents = (count: number) => Array.from({ length: count }, (_, n) => anEvent({ n }))

/** Appends by the unary call. */
export const append = (
  client: EventStoreDBClient,
  stream: string,
  expectedRevision: AppendToStreamOptions['expectedRevision'],
  events: EventData | EventData[],
) => client.appendToStream(stream, events, { expectedRevision: expectedRevision!, credentials })

/** The items of a stream or another iterable. */
export async function gather<T>(source: AsyncIterable<T>, most = Number.POSITIVE_INFINITY): Promise<T[]> {
  const items: T[] = []
  for await (const one of source) {
    items.push(one)
    if (items.length >= most) break
  }
  return items
}

/** The rejection of a promise; throws when it was fulfilled. */
export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('it should have failed')
    },
    (error: unknown) => error,
  )

/** Matches an error of the client with a type and a code. */
export const failure = (type: string, code?: number) => expect.objectContaining({ type, code })

/** Collects the events of a subscription, in order; `until` waits for a condition on them. */
export function listenTo(subscription: AllStreamSubscription): SubscriptionEvents {
  const events: SubscriptionEvent[] = []
  let look = () => {}
  const add = (event: SubscriptionEvent) => {
    events.push(event)
    look()
  }
  subscription.on('confirmation', () => add({ kind: 'confirmation' }))
  subscription.on('caughtUp', () => add({ kind: 'caughtUp' }))
  subscription.on(
    'data',
    ({ event }) => event && add({ kind: 'event', id: event.id, position: event.position!.commit }),
  )
  subscription.on('error', (error) => add({ kind: 'error', error }))
  return {
    events,
    ids: () => events.flatMap((event) => (event.kind === 'event' ? event.id : [])),
    until: (enough) =>
      new Promise((resolve) => {
        look = () => enough(events) && resolve()
        look()
      }),
  }
}

export type SubscriptionEvent =
  | { readonly kind: 'confirmation' | 'caughtUp' }
  | { readonly kind: 'event'; readonly id: string; readonly position: bigint }
  | { readonly kind: 'error'; readonly error: unknown }

export type SubscriptionEvents = {
  readonly events: readonly SubscriptionEvent[]
  ids(): string[]
  until(enough: (events: readonly SubscriptionEvent[]) => boolean): Promise<void>
}
