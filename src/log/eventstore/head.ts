/**
 * Finds our last event in a log that other programs and the server itself write to as well.
 *
 * @module
 */
import { type AllStreamResolvedEvent, BACKWARDS, END, type EventStoreDBClient } from '@eventstore/db-client'
import { readUntil } from './calls.ts'
import { isOurs } from './events.ts'

export class Head {
  /** the position of our last event, 0 if there is none */
  private last = 0
  /** between `last` and this position there are no events of ours */
  private seen: number

  /** @param floor a position before which there are no events of ours */
  constructor(
    private readonly client: EventStoreDBClient,
    private floor: number,
  ) {
    this.seen = floor
  }

  /** Reads the position of our last event, 0 if there is none. Not reentrant. @throws {StoreUnavailable} */
  async find(): Promise<number> {
    let newest: number | undefined
    let head: number | undefined
    const each = ({ event }: AllStreamResolvedEvent): boolean => {
      if (!event) return false
      const position = Number(event.position.commit)
      if (newest === undefined) {
        newest = position
        // The log ends before an event that was already seen: it was restored from a backup.
        if (position < this.seen) this.forget()
      }
      if (position <= this.seen) return true
      if (isOurs(event.streamId)) head = position
      return head !== undefined
    }
    // The last event of the log is nearly always ours.
    await this.look(1, each)
    if (head === undefined && (newest ?? 0) > this.seen) await this.look(Number.MAX_SAFE_INTEGER, each)
    this.last = head ?? this.last
    this.seen = Math.max(newest ?? this.seen, this.floor)
    return this.last
  }

  /** Resets all knowledge. @param floor as for the constructor; unchanged by default */
  forget(floor = this.floor): void {
    this.floor = floor
    this.last = 0
    this.seen = floor
  }

  private look(maxCount: number, each: (event: AllStreamResolvedEvent) => boolean): Promise<void> {
    const options = { direction: BACKWARDS, fromPosition: END, requiresLeader: true, maxCount } as const
    return readUntil(() => this.client.readAll(options), each)
  }
}
