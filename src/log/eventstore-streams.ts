/**
 * Reading streams of EventStoreDB, the one that says which log it is among them.
 *
 * @module
 */

import { randomBytes, randomUUID } from 'node:crypto'
import type { EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client'
import { StoreUnavailable } from './event-log.ts'
import type { Appends } from './eventstore-appends.ts'
import { isMissing, readUntil } from './eventstore-calls.ts'

/** The log's id stands here; no category, so that nobody subscribes to it. */
const ID_STREAM = 'gleaner'
const ID_TYPE = 'LogCreated'
/** For the one append of a log's first start, in milliseconds. */
const FIRST_MS = 2000

/**
 * The id of the log, and where it stands; made by the first process that comes.
 *
 * @throws {StoreUnavailable}
 */
export async function identity(
  client: EventStoreDBClient,
  appends: Appends,
): Promise<{ id: string; position: number }> {
  let found: { id: string; position: number } | undefined
  const look = async () => {
    await readEvents(client, ID_STREAM, 0, ({ event }) => {
      const id = (event?.data as { log_id?: unknown } | undefined)?.log_id
      if (event?.type === ID_TYPE && typeof id === 'string' && /^[0-9A-Za-z]{16}$/.test(id))
        found = { id, position: Number(event.position?.commit ?? 0n) }
      return found !== undefined
    })
    return found
  }
  if (await look()) return found as NonNullable<typeof found>
  const data = JSON.stringify({ log_id: randomBytes(8).toString('hex') })
  // A wrong revision: another process was faster.
  await appends.append(
    ID_STREAM,
    'no-stream',
    [{ id: randomUUID(), type: ID_TYPE, data, meta: '{}' }],
    FIRST_MS,
  )
  const made = await look()
  if (!made) throw new StoreUnavailable(`the stream ${ID_STREAM} holds no id of a log`)
  return made
}

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
  try {
    await readUntil(() => client.readStream(stream, options), each)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
