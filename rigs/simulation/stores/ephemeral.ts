/**
 * The ephemeral store in memory, for all nodes of a simulation, as in Redis: with slots of running runs, and with its
 * own clock if it is given one. Unlike in Redis, a time of last use is visible to all nodes at once.
 *
 * @module
 */
import {
  type EphemeralStore,
  FILLS_IN_MIN,
  type RateClass,
  type RateVerdict,
  type RunSlots,
  type TryClass,
} from '../../../src/ephemeral/ephemeral-store.ts'
import { type ExitRests, KEPT_AFTER_MS, type Rest } from '../../../src/ephemeral/exit-rests.ts'
import { TokenBuckets } from '../../../src/ephemeral/token-buckets.ts'
import { SlotsInMemory } from '../../support/run-slots.ts'
import { MemoryExitDays } from './exit-days.ts'

export type MemoryEphemeralStoreOptions = {
  /** The clock of the store, milliseconds since 1970, which overrides the caller's clock. Default: the caller's. */
  readonly now?: () => number
}

export class MemoryEphemeralStore implements EphemeralStore {
  readonly runSlots: RunSlots
  readonly pace = undefined
  readonly exitRests: ExitRests
  readonly exitDays = new MemoryExitDays()
  private readonly at: (now: number) => number
  private slots = new SlotsInMemory()
  private buckets = new Map<RateClass | TryClass, TokenBuckets>()
  private readonly times = new Map<string, number>()
  private readonly rests = new Map<string, Rest>()

  constructor({ now: own }: MemoryEphemeralStoreOptions = {}) {
    const at = own ?? ((now: number) => now)
    this.at = at
    this.exitRests = {
      get: async (keys) => keys.map((key) => this.rests.get(key)),
      put: async (key, rest, now) => {
        for (const [old, { until }] of this.rests) if (until + KEPT_AFTER_MS <= now) this.rests.delete(old)
        this.rests.set(key, rest)
      },
      clear: async (keys) => {
        for (const key of keys) this.rests.delete(key)
      },
      all: async (now) =>
        [...this.rests]
          .flatMap(([key, rest]) => (rest.until > now ? [{ key, rest }] : []))
          .sort((one, other) => (one.key < other.key ? -1 : 1)),
    }
    this.runSlots = {
      acquire: async (slot, limit, forMs, now) => this.slots.acquire(slot, limit, forMs, at(now)),
      renew: async (slots, forMs, now) => this.slots.renew(slots, forMs, at(now)),
      release: async (slot, endedForMs, now) => this.slots.release(slot, endedForMs, at(now)),
    }
  }

  async take(name: string, kind: RateClass | TryClass, most: number, now: number): Promise<RateVerdict> {
    return this.bucketsOf(kind).take(name, most, this.at(now))
  }

  async waitS(name: string, kind: TryClass, most: number, now: number): Promise<number> {
    return this.bucketsOf(kind).waitS(name, most, this.at(now))
  }

  used(name: string, now: number): void {
    this.times.set(name, Math.max(this.times.get(name) ?? 0, Math.floor(now)))
  }

  async lastUsed(names: readonly string[]): Promise<(number | undefined)[]> {
    return names.map((name) => this.times.get(name))
  }

  async forget(names: readonly string[]): Promise<void> {
    for (const name of names) this.times.delete(name)
  }

  async close(): Promise<void> {}

  /** Loses all data, like an emptied Redis. */
  clear(): void {
    this.slots = new SlotsInMemory()
    this.buckets = new Map()
    this.times.clear()
    this.rests.clear()
    this.exitDays.clear()
  }

  private bucketsOf(kind: RateClass | TryClass): TokenBuckets {
    const buckets = this.buckets.get(kind) ?? new TokenBuckets(FILLS_IN_MIN[kind])
    this.buckets.set(kind, buckets)
    return buckets
  }
}
