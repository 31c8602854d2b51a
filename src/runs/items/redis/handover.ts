/**
 * Hands the items of an attempt over to Redis, from time to time and never at the expense of the run: what can't be
 * written now is written later, or never.
 *
 * @module
 */
import { clock } from '../../../async/clock.ts'
import { randomBytes } from '../../../random.ts'
import type { RedisConnection } from '../../../redis/connection.ts'
import type { Collecting, SharedItems } from '../live-items.ts'
import { divided, type ItemBatch, type Part, partOf, withCommas } from '../parts.ts'
import { fieldOf, handOver, type Index } from './script.ts'

/** Between two handovers of an attempt, in milliseconds. A run that ends before the first one costs nothing. */
const EVERY_MS = 2000
/** How much is shown of one run, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024
/** How much one handover contains, in bytes, unless one batch alone is larger. */
const WRITE_BYTES = 1024 * 1024
/** How many handovers of a process are under way at most: they hold memory while Redis does not answer. */
const MOST_WRITES = 16
const PART_BYTES = 64 * 1024

/** The handovers of a process. */
export type Writes = { underWay: number }

export type HandoverDeps = {
  readonly redis: RedisConnection
  readonly key: string
  /** in milliseconds; renewed while the attempt lasts */
  readonly expiryMs: number
  readonly writes: Writes
}

/** What was handed over. */
type Shown = {
  readonly id: string
  /** the first batch, by which a new start is recognized */
  readonly first: ItemBatch | undefined
  readonly total: number
  readonly parts: readonly Part[]
  readonly batches: number
  readonly bytes: number
  /** how many of the last batches are in the last part, if it can still grow */
  readonly open: number
}

export class Handover implements SharedItems {
  private shown: Shown | undefined
  private dueAt = clock.monotonic() + EVERY_MS
  private renewAt = 0
  /** some items are left for the next handover */
  private isBehind = false
  private isWriting = false
  private hasWritten = false
  private isStopped = false

  constructor(
    private readonly deps: HandoverDeps,
    private readonly collecting: Collecting,
  ) {}

  tick(): void {
    const now = clock.monotonic()
    const { writes } = this.deps
    if (now < this.dueAt || this.isWriting || this.isStopped || writes.underWay >= MOST_WRITES) return
    const { batches, count } = this.collecting
    const isNew = !this.shown || this.shown.first !== batches[0]
    if (isNew && !this.hasWritten && batches.length === 0) return
    const isCurrent = !isNew && !this.isBehind && this.shown?.total === count
    if (isCurrent && now < this.renewAt) return
    this.dueAt = now + EVERY_MS
    this.renewAt = now + this.deps.expiryMs / 4
    void this.write(isNew)
  }

  stop(): void {
    this.isStopped = true
    if (this.hasWritten) this.deps.redis.write((client) => client.del(this.deps.key)).catch(() => {})
  }

  private async write(isNew: boolean): Promise<void> {
    const { redis, key, expiryMs, writes } = this.deps
    const before = isNew || !this.shown ? this.nothing() : this.shown
    const { next, fields } = this.following(before)
    this.isWriting = true
    this.hasWritten = true
    writes.underWay++
    try {
      const args = [key, expiryMs, isNew ? 'new' : 'more', ...fields]
      const isThere = (await redis.write((client) => client.run(handOver, args))) === 1
      this.shown = isThere ? next : undefined
      this.isBehind = next.batches > before.batches && next.batches < this.collecting.batches.length
      if (!isThere || this.isBehind) this.dueAt = 0
    } catch {
      // It may have been written or not, so the next one replaces everything.
      this.shown = undefined
    } finally {
      writes.underWay--
      this.isWriting = false
    }
  }

  private nothing(): Shown {
    const first = this.collecting.batches[0]
    return { id: randomBytes(6).toString('hex'), first, total: 0, parts: [], batches: 0, bytes: 0, open: 0 }
  }

  /** What is shown after the next handover, and the fields that it writes. */
  private following(shown: Shown): { readonly next: Shown; readonly fields: readonly (string | Buffer)[] } {
    const { batches, count: total } = this.collecting
    let { batches: end, bytes } = shown
    for (let size = 0; end < batches.length; end++) {
      const { length } = batches[end]!.text
      if (bytes + length > MOST_BYTES || (size > 0 && size + length > WRITE_BYTES)) break
      size += length
      bytes += length
    }
    const isMore = end > shown.batches
    const settled = isMore && shown.open > 0 ? shown.parts.slice(0, -1) : shown.parts
    const fresh = isMore ? divided(batches.slice(shown.batches - shown.open, end), PART_BYTES) : []
    const parts = [...settled, ...fresh.map(partOf)]
    const last = fresh.at(-1)
    const open = last && partOf(last)[1] < PART_BYTES ? last.length : isMore ? 0 : shown.open
    const texts = fresh.flatMap((some, i) => [
      fieldOf(shown.id, settled.length + i),
      Buffer.concat(withCommas(some)),
    ])
    const index = JSON.stringify({ id: shown.id, parts } satisfies Index)
    const next = { ...shown, total, parts, batches: end, bytes, open }
    return { next, fields: ['total', String(total), 'index', index, ...texts] }
  }
}
