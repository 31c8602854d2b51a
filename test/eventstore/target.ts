/**
 * What the facts are tried on: the fake, or the real server that EVENTSTORE_URL names. That one may be full of
 * other data and others may be writing: every test uses streams of its own.
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

/** The real server, if there is one. */
export const REAL = process.env.EVENTSTORE_URL

/** Selects the unary append; without TLS nobody looks at them. */
export const credentials = { username: 'admin', password: 'changeit' }

/** A client of the server under test, and its connection string. Call it at the top of the file: both end with it. */
export async function openTarget(): Promise<{ readonly client: EventStoreDBClient; readonly url: string }> {
  endClients()
  if (REAL) return { client: clientOf(REAL), url: REAL }
  const server = await startEventStore()
  afterAll(() => server.stop())
  return { client: clientOf(server.url), url: server.url }
}

const clients = new Set<EventStoreDBClient>()

/** Ends all clients of a test file with it. Call it at the top of a file without {@link openTarget}. */
export function endClients(): void {
  afterAll(async () => {
    const all = [...clients]
    clients.clear()
    await Promise.all(all.map((client) => client.dispose()))
  })
}

/** A client, which ends with the test file. Those with the same options share a connection. */
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

/** Appends by the unary call, as the adapter does. */
export const append = (
  client: EventStoreDBClient,
  stream: string,
  expectedRevision: AppendToStreamOptions['expectedRevision'],
  events: EventData | EventData[],
) => client.appendToStream(stream, events, { expectedRevision: expectedRevision!, credentials })

/** All of a stream or an other iterable. */
export async function gather<T>(source: AsyncIterable<T>, most = Number.POSITIVE_INFINITY): Promise<T[]> {
  const found: T[] = []
  for await (const one of source) {
    found.push(one)
    if (found.length >= most) break
  }
  return found
}

/** What a promise failed with; an error when it did not. */
export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('it should have failed')
    },
    (error: unknown) => error,
  )

/** An error of the client with a type and a code. */
export const failure = (type: string, code?: number) => expect.objectContaining({ type, code })

/** Everything that a subscription says, in order; `until` looks whether enough is there. */
export function listenTo(subscription: AllStreamSubscription): Heard {
  const heard: Said[] = []
  let look = () => {}
  const hear = (said: Said) => {
    heard.push(said)
    look()
  }
  subscription.on('confirmation', () => hear({ kind: 'confirmation' }))
  subscription.on('caughtUp', () => hear({ kind: 'caughtUp' }))
  subscription.on(
    'data',
    ({ event }) => event && hear({ kind: 'event', id: event.id, position: event.position!.commit }),
  )
  subscription.on('error', (error) => hear({ kind: 'error', error }))
  return {
    heard,
    ids: () => heard.flatMap((said) => (said.kind === 'event' ? said.id : [])),
    until: (enough) =>
      new Promise((resolve) => {
        look = () => enough(heard) && resolve()
        look()
      }),
  }
}

export type Said =
  | { readonly kind: 'confirmation' | 'caughtUp' }
  | { readonly kind: 'event'; readonly id: string; readonly position: bigint }
  | { readonly kind: 'error'; readonly error: unknown }

export type Heard = {
  readonly heard: readonly Said[]
  ids(): string[]
  until(enough: (heard: readonly Said[]) => boolean): Promise<void>
}
