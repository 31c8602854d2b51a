/**
 * Where the last of our events stands in a log that others write to as well, the server itself among them.
 *
 * @module
 */
import { type AllStreamResolvedEvent, BACKWARDS, END, type EventStoreDBClient } from '@eventstore/db-client'
import { readUntil } from './calls.ts'
import { isOurs } from './events.ts'

export class Head {
  /** our last event, 0 without one */
  private last = 0
  /** behind `last` there is nothing of ours up to here */
  private seen: number

  /** @param floor before it there is nothing of ours */
  constructor(
    private readonly client: EventStoreDBClient,
    private floor: number,
  ) {
    this.seen = floor
  }

  /** Looks. One call at a time. @throws {StoreUnavailable} */
  async find(): Promise<number> {
    let newest: number | undefined
    let found: number | undefined
    const each = ({ event }: AllStreamResolvedEvent): boolean => {
      if (!event) return false
      const position = Number(event.position.commit)
      if (newest === undefined) {
        newest = position
        // The log ends before an event that was seen in it: it was restored from a backup.
        if (position < this.seen) this.forget()
      }
      if (position <= this.seen) return true
      if (isOurs(event.streamId)) found = position
      return found !== undefined
    }
    // Nearly always the very last one is ours.
    await this.look(1, each)
    if (found === undefined && (newest ?? 0) > this.seen) await this.look(undefined, each)
    this.last = found ?? this.last
    this.seen = Math.max(newest ?? this.seen, this.floor)
    return this.last
  }

  /** Nothing that was seen counts any more. @param floor as for the constructor; the same by default */
  forget(floor = this.floor): void {
    this.floor = floor
    this.last = 0
    this.seen = floor
  }

  private look(
    maxCount: number | undefined,
    each: (event: AllStreamResolvedEvent) => boolean,
  ): Promise<void> {
    const options = { direction: BACKWARDS, fromPosition: END, requiresLeader: true } as const
    return readUntil(
      () => this.client.readAll(maxCount === undefined ? options : { ...options, maxCount }),
      each,
    )
  }
}
