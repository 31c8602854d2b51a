/**
 * Gathers the events of a subscription into batches: large ones while catching up, and the events of a short time
 * when live.
 *
 * @module
 */
import { Bell } from '../async/bell.ts'
import { clock } from '../async/clock.ts'
import type { LogBatch, Recorded } from '../log/event-log.ts'

/** A batch. `live`: the subscription has yielded all events that existed when it began. */
export type Gathered = { readonly events: readonly Recorded[]; readonly live: boolean }

export class Inbox {
  private events: Recorded[] = []
  private live = false
  /** whether the taker was told that the subscription is live */
  private reportedLive = false
  private ended = false
  private failure: { readonly error: unknown } | undefined
  private isUrgent = false
  private readonly bell = new Bell()
  private goOn: (() => void) | undefined
  private readonly done: Promise<void>

  /**
   * @param last events at or before this position are skipped
   * @param full the size of a full batch; back-pressure stops the subscription until a full batch is taken
   * @param onArrival called when events arrive at an empty inbox
   */
  constructor(
    subscription: AsyncIterable<LogBatch>,
    private last: number,
    private readonly full: number,
    private readonly onArrival: () => void,
  ) {
    this.done = this.pump(subscription)
  }

  /**
   * Takes the next batch, in order and without gaps; undefined when the subscription has ended and all events were
   * taken. The batch is empty when the subscription has just become live, or when no event arrived until `until`. Times
   * are milliseconds of `clock.monotonic()`.
   *
   * @param notBefore when live, gathers events until this time. If it is past, as in a quiet log, events are taken at
   *   once
   * @throws the subscription's error
   */
  async take(notBefore: number, until: number): Promise<Gathered | undefined> {
    for (;;) {
      if (this.failure) throw this.failure.error
      const now = clock.monotonic()
      const gathering = this.live && this.events.length > 0
      if (this.ended) return this.isEmpty ? undefined : this.empty()
      if (this.events.length >= this.full || this.live !== this.reportedLive || now >= until)
        return this.empty()
      if (gathering && (this.isUrgent || now >= notBefore)) return this.empty()
      const at = gathering ? Math.min(notBefore, until) : until
      await this.bell.rung(Math.max(1, at - now))
    }
  }

  get isEmpty(): boolean {
    return this.events.length === 0
  }

  /** Makes the next batch available at once, because a caller waits for it. */
  takeNow(): void {
    this.isUrgent = true
    this.bell.ring()
  }

  /** Resolves when the subscription has ended; abort its signal first. */
  async close(): Promise<void> {
    this.events = []
    this.ended = true
    this.goOn?.()
    await this.done
  }

  private empty(): Gathered {
    const { events, live } = this
    this.events = []
    this.reportedLive = live
    if (events.length > 0) this.isUrgent = false
    this.goOn?.()
    return { events, live }
  }

  private async pump(subscription: AsyncIterable<LogBatch>): Promise<void> {
    try {
      for await (const batch of subscription) {
        if (this.ended) break
        if (batch.kind === 'caught-up') this.live = true
        else this.add(batch.events)
        this.bell.ring()
        if (this.events.length >= this.full) await new Promise<void>((go) => (this.goOn = go))
      }
    } catch (error) {
      this.failure = { error }
    }
    this.ended = true
    this.bell.ring()
  }

  private add(events: readonly Recorded[]): void {
    if (this.events.length === 0 && events.length > 0) this.onArrival()
    for (const event of events) {
      // A subscription that recovered from a failure may deliver an event twice.
      if (event.position <= this.last) continue
      this.last = event.position
      this.events.push(event)
    }
  }
}
