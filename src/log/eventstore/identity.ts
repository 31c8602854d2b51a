/**
 * Identifies the log of an EventStoreDB server, and detects whether it is still the log that this process knows. If the
 * server was restored from a backup or replaced, the newest event known here is no longer at its position. The log then
 * gets a new id, from which all processes and all holders of positions learn of the change.
 *
 * @module
 */
import { BACKWARDS, END, type EventStoreDBClient, type RecordedEvent } from '@eventstore/db-client'
import { randomBytes, randomUUID } from '../../random.ts'
import { type Expected, LogReplaced, StoreUnavailable } from '../event-log.ts'
import type { Appends } from './appends.ts'
import { eventAt, readStream } from './calls.ts'

/** The last event of this stream holds the log's id. The name is no category's, so no subscription includes it. */
const ID_STREAM = 'gleaner'
const ID_TYPE = 'LogCreated'
/** Timeout of an append of an id, in milliseconds. */
const APPEND_MS = 1500

/** An id with the revision and position of its event. */
type Named = { readonly id: string; readonly revision: number; readonly position: number }
/** An event's id and position. */
type Mark = { readonly id: string; readonly position: number }

export class Identity {
  private newest: Mark | undefined

  private constructor(
    private readonly client: EventStoreDBClient,
    private readonly appends: Appends,
    private current: Named,
  ) {}

  /** Reads the log's id, and gives the log one when it has none. @throws {StoreUnavailable} */
  static async open(client: EventStoreDBClient, appends: Appends): Promise<Identity> {
    return new Identity(client, appends, await findOrMake(client, appends))
  }

  get id(): string {
    return this.current.id
  }

  /** A position before which there are no events of ours; 0 if the log was restored since its creation. */
  get floor(): number {
    return this.current.revision === 0 ? this.current.position : 0
  }

  /** Records an event that the log holds. */
  saw(event: Mark): void {
    if (event.position > (this.newest?.position ?? 0)) this.newest = event
  }

  /**
   * Checks that the log is still the same.
   *
   * @throws {LogReplaced} once for each replacement; {@link id} is the new one then
   * @throws {StoreUnavailable} when the check can't be made
   */
  async check(): Promise<void> {
    const { client, appends, current, newest } = this
    const identity = await findOrMake(client, appends)
    if (identity.id === current.id) {
      if (!newest || (await this.holds(newest)) || !(await this.isLost(newest, identity))) return
    }
    this.current = await findOrMake(client, appends)
    this.newest = undefined
    if (this.current.id !== current.id) throw new LogReplaced()
  }

  /**
   * Called when an event is not at its position. Gives the log a new id, unless the answer came from a server that is
   * no longer the leader.
   *
   * @returns false when the log is unchanged, or when another process wrote first
   */
  private async isLost(newest: Mark, { id, revision }: Named): Promise<boolean> {
    const { client, appends } = this
    // A deposed leader that does not know of it yet serves stale reads but accepts no writes.
    if (!(await write(appends, id, revision))) return false
    const leader = await findOrMake(client, appends)
    if (leader.revision !== revision + 1 || (await this.holds(newest))) return false
    return write(appends, newId(), leader.revision)
  }

  private async holds({ id, position }: Mark): Promise<boolean> {
    return (await eventAt(this.client, position))?.event?.id === id
  }
}

const newId = (): string => randomBytes(8).toString('hex')

/** Reads the last id; writes one if the log has none. */
async function findOrMake(client: EventStoreDBClient, appends: Appends): Promise<Named> {
  const existing = await find(client)
  if (existing) return existing
  await write(appends, newId(), 'no-stream')
  const created = await find(client)
  if (!created) throw new StoreUnavailable(`the stream ${ID_STREAM} holds no log id`)
  return created
}

async function find(client: EventStoreDBClient): Promise<Named | undefined> {
  let event: RecordedEvent | undefined
  const last = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const
  await readStream(client, ID_STREAM, last, (resolved) => {
    ;({ event } = resolved)
    return true
  })
  const id = (event?.data as { log_id?: unknown } | undefined)?.log_id
  if (!event || event.type !== ID_TYPE || typeof id !== 'string' || !/^[0-9A-Za-z]{16}$/.test(id))
    return undefined
  return { id, revision: Number(event.revision), position: Number(event.position?.commit ?? 0n) }
}

/** Writes an id. @returns false when another process was faster */
async function write(appends: Appends, id: string, expected: Expected): Promise<boolean> {
  const event = { id: randomUUID(), type: ID_TYPE, data: JSON.stringify({ log_id: id }), meta: '{}' }
  const { kind } = await appends.append(ID_STREAM, expected, [event], APPEND_MS)
  return kind === 'written'
}
