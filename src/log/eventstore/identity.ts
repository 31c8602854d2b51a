/**
 * Which log a server of EventStoreDB holds, and whether it still is the one that this process knows. A server that was
 * set back to a backup, or another one under its address, shows it by the newest event that is known here: it is not
 * where it was. Then the log gets another id, so that all processes, and all who keep positions of it, learn of it.
 *
 * @module
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { AllStreamResolvedEvent, EventStoreDBClient } from '@eventstore/db-client'
import { type Expected, LogReplaced, StoreUnavailable } from '../event-log.ts'
import type { Appends } from './appends.ts'
import { lastEvent, readUntil, typeOf } from './calls.ts'
import { positionPair } from './events.ts'

/** The log's id stands here, in its last event; no category, so that nobody subscribes to it. */
const ID_STREAM = 'gleaner'
const ID_TYPE = 'LogCreated'
/** For an append of an id, in milliseconds. */
const APPEND_MS = 1500

/** An id with where it stands. */
type Named = { readonly id: string; readonly revision: number; readonly position: number }
/** An event and its place. */
type Mark = { readonly id: string; readonly position: number }

/** Opens it, and gives the log an id when it has none. @throws {StoreUnavailable} */
export async function openIdentity(client: EventStoreDBClient, appends: Appends): Promise<Identity> {
  const store = new Ids(client, appends)
  return new Identity(store, await store.findOrMake())
}

export class Identity {
  private newest: Mark | undefined

  constructor(
    private readonly ids: Ids,
    private current: Named,
  ) {}

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
    const { current, newest } = this
    const found = await this.ids.findOrMake()
    if (found.id === current.id) {
      if (!newest || (await this.ids.holds(newest)) || !(await this.isLost(newest, found))) return
    }
    this.current = await this.ids.findOrMake()
    this.newest = undefined
    if (this.current.id !== current.id) throw new LogReplaced()
  }

  /** An event is not where it was: a new id for the log, unless that was told by a server that has been left behind. */
  private async isLost(newest: Mark, { id, revision }: Named): Promise<boolean> {
    // A leader that was deposed without knowing it answers reads by what it had, and takes no writes.
    if (!(await this.ids.write(id, revision))) return false
    const leader = await this.ids.findOrMake()
    if (leader.revision !== revision + 1 || (await this.ids.holds(newest))) return false
    return this.ids.write(newId(), leader.revision)
  }
}

const newId = (): string => randomBytes(8).toString('hex')

/** The ids of a log, as the server has them. All throw {@link StoreUnavailable}. */
class Ids {
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly appends: Appends,
  ) {}

  /** The last id; a log without one gets it. */
  async findOrMake(): Promise<Named> {
    const found = await this.find()
    if (found) return found
    await this.write(newId(), 'no-stream')
    const made = await this.find()
    if (!made) throw new StoreUnavailable(`the stream ${ID_STREAM} holds no id of a log`)
    return made
  }

  /** Writes an id. @returns false when another process was faster */
  async write(id: string, expected: Expected): Promise<boolean> {
    const event = { id: randomUUID(), type: ID_TYPE, data: JSON.stringify({ log_id: id }), meta: '{}' }
    const { kind } = await this.appends.append(ID_STREAM, expected, [event], APPEND_MS)
    return kind === 'written'
  }

  /** Whether an event is where it was. A server refuses to read from a place where no event begins. */
  async holds({ id, position }: Mark): Promise<boolean> {
    let found = false
    const from = { fromPosition: positionPair(position), maxCount: 1, requiresLeader: true }
    const each = ({ event }: AllStreamResolvedEvent) => {
      found = event?.id === id
      return true
    }
    try {
      await readUntil(() => this.client.readAll(from), each)
    } catch (error) {
      if (typeOf((error as Error).cause) !== 'unknown') throw error
    }
    return found
  }

  private async find(): Promise<Named | undefined> {
    const event = (await lastEvent(this.client, ID_STREAM))?.event
    const id = (event?.data as { log_id?: unknown } | undefined)?.log_id
    if (!event || event.type !== ID_TYPE || typeof id !== 'string' || !/^[0-9A-Za-z]{16}$/.test(id))
      return undefined
    return { id, revision: Number(event.revision), position: Number(event.position?.commit ?? 0n) }
  }
}
