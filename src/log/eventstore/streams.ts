/**
 * Reading streams of EventStoreDB.
 *
 * @module
 */
import type { EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client'
import { BACKWARDS, END } from '@eventstore/db-client'
import { isMissing, readUntil } from './calls.ts'

/**
 * Reads a stream from a revision on, until `each` has enough; none of a stream that is not there.
 *
 * @throws {StoreUnavailable}
 */
export async function readEvents(
  client: EventStoreDBClient,
  stream: string,
  from: number,
  each: (event: ResolvedEvent) => boolean,
  maxCount?: number,
): Promise<void> {
  const options = {
    fromRevision: BigInt(from),
    requiresLeader: true,
    ...(maxCount === undefined ? {} : { maxCount }),
  }
  await readExisting(() => readUntil(() => client.readStream(stream, options), each))
}

/** The last event of a stream; undefined when there is none. @throws {StoreUnavailable} */
export async function lastEvent(
  client: EventStoreDBClient,
  stream: string,
): Promise<ResolvedEvent | undefined> {
  const options = { direction: BACKWARDS, fromRevision: END, maxCount: 1, requiresLeader: true } as const
  let last: ResolvedEvent | undefined
  const each = (event: ResolvedEvent) => {
    last = event
    return true
  }
  await readExisting(() => readUntil(() => client.readStream(stream, options), each))
  return last
}

async function readExisting(read: () => Promise<void>): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
