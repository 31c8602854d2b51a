/**
 * Gathers the deliveries of a subscription into batches: large ones while catching up, and what a short while brings
 * when live.
 *
 * @module
 */
import { Bell } from '../async/bell.ts'
import { clock } from '../async/clock.ts'
import type { Delivery, Recorded } from '../log/event-log.ts'

/** What was gathered. `live`: the subscription has brought all that was there when it began. */
export type Gathered = { readonly events: readonly Recorded[]; readonly live: boolean }

export class Inbox {
  private events: Recorded[] = []
  private live = false
  /** whether the taker knows that it is live */
  private told = false
  private ended = false
  private failure: { readonly error: unknown } | undefined
  private isUrgent = false
  private readonly bell = new Bell()
  private goOn: (() => void) | undefined
  private readonly done: Promise<void>

  /**
   * @param after the position before its first event: what stands at or before it is left out
   * @param full how many events make a batch; it takes no more than that before they are taken from it
   * @param onArrival told when events arrive at an empty inbox
   */
  constructor(
    deliveries: AsyncIterable<Delivery>,
    private last: number,
    private readonly full: number,
    private readonly onArrival: () => void,
  ) {
    this.done = this.pump(deliveries)
  }

  /**
   * The next batch, in order and without gaps; undefined when the subscription has ended and all was taken. Without
   * events when it has just become live, or when it has waited until `until`. Times are milliseconds of
   * `clock.monotonic()`.
   *
   * @param notBefore when live, events are gathered until then; those of a quiet log come at once
   * @throws what the subscription threw
   */
  async take(notBefore: number, until: number): Promise<Gathered | undefined> {
    for (;;) {
      if (this.failure) throw this.failure.error
      const now = clock.monotonic()
      const gathering = this.live && this.events.length > 0
      if (this.ended) return this.isEmpty ? undefined : this.empty()
      if (this.events.length >= this.full || this.live !== this.told || now >= until) return this.empty()
      if (gathering && (this.isUrgent || now >= notBefore)) return this.empty()
      const at = gathering ? Math.min(notBefore, until) : until
      await this.bell.rung(Math.max(1, at - now))
    }
  }

  get isEmpty(): boolean {
    return this.events.length === 0
  }

  /** Somebody waits: the next batch gathers no longer. */
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
    this.told = live
    if (events.length > 0) this.isUrgent = false
    this.goOn?.()
    return { events, live }
  }

  private async pump(deliveries: AsyncIterable<Delivery>): Promise<void> {
    try {
      for await (const delivery of deliveries) {
        if (this.ended) break
        if (delivery.kind === 'caught-up') this.live = true
        else this.add(delivery.events)
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
      // A subscription that healed itself may bring an event twice.
      if (event.position <= this.last) continue
      this.last = event.position
      this.events.push(event)
    }
  }
}
