/**
 * Which log a server of EventStoreDB holds, and whether it still is the one that this process knows. A server that was
 * set back to a backup, or another one under its address, shows it by the newest event that is known here: it is not
 * where it was. Then the log gets another id, so that all processes, and all who keep positions of it, learn of it.
 *
 * @module
 */
import { BACKWARDS, END, type EventStoreDBClient, type RecordedEvent } from '@eventstore/db-client'
import { randomBytes, randomUUID } from '../../random.ts'
import { type Expected, LogReplaced, StoreUnavailable } from '../event-log.ts'
import type { Appends } from './appends.ts'
import { eventAt, readStream } from './calls.ts'

/** The log's id stands here, in its last event; no category, so that nobody subscribes to it. */
const ID_STREAM = 'gleaner'
const ID_TYPE = 'LogCreated'
/** For an append of an id, in milliseconds. */
const APPEND_MS = 1500

/** An id with where it stands. */
type Named = { readonly id: string; readonly revision: number; readonly position: number }
/** An event and its place. */
type Mark = { readonly id: string; readonly position: number }

export class Identity {
  private newest: Mark | undefined

  private constructor(
    private readonly client: EventStoreDBClient,
    private readonly appends: Appends,
    private current: Named,
  ) {}

  /** Opens it, and gives the log an id when it has none. @throws {StoreUnavailable} */
  static async open(client: EventStoreDBClient, appends: Appends): Promise<Identity> {
    return new Identity(client, appends, await findOrMake(client, appends))
  }

  get id(): string {
    return this.current.id
  }

  /** Before it there is nothing of ours, unless the log was set back since it began. */
  get floor(): number {
    return this.current.revision === 0 ? this.current.position : 0
  }

  /** An event that the log holds. */
  saw(event: Mark): void {
    if (event.position > (this.newest?.position ?? 0)) this.newest = event
  }

  /**
   * Looks whether the log is the one that it was.
   *
   * @throws {LogReplaced} once for each time that it is not: it has another id then
   * @throws {StoreUnavailable} when that can't be told
   */
  async check(): Promise<void> {
    const { client, appends, current, newest } = this
    const found = await findOrMake(client, appends)
    if (found.id === current.id) {
      if (!newest || (await this.holds(newest)) || !(await this.isLost(newest, found))) return
    }
    this.current = await findOrMake(client, appends)
    this.newest = undefined
    if (this.current.id !== current.id) throw new LogReplaced()
  }

  /** An event is not where it was: a new id for the log, unless that was told by a server that has been left behind. */
  private async isLost(newest: Mark, { id, revision }: Named): Promise<boolean> {
    const { client, appends } = this
    // A leader that was deposed without knowing it answers reads by what it had, and takes no writes.
    if (!(await write(appends, id, revision))) return false
    const leader = await findOrMake(client, appends)
    if (leader.revision !== revision + 1 || (await this.holds(newest))) return false
    return write(appends, newId(), leader.revision)
  }

  private async holds({ id, position }: Mark): Promise<boolean> {
    return (await eventAt(this.client, position)) === id
  }
}

const newId = (): string => randomBytes(8).toString('hex')

/** The last id; a log without one gets it. */
async function findOrMake(client: EventStoreDBClient, appends: Appends): Promise<Named> {
  const found = await find(client)
  if (found) return found
  await write(appends, newId(), 'no-stream')
  const made = await find(client)
  if (!made) throw new StoreUnavailable(`the stream ${ID_STREAM} holds no id of a log`)
  return made
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
