/**
 * What the runs of one account took and got back lately, in bounded memory.
 *
 * @module
 */
import { evolveRunCredits, type RunCredits } from '../domain/account.ts'
import type { DomainEvent } from '../domain/events.ts'
import type { RunId } from '../domain/ids.ts'

/** At least so many of the latest charges and refunds are kept, and at most twice as many. */
const KEPT = 32

export class RecentCredits {
  /** Two halves, so that the older one can be dropped as a whole. */
  private newer = new Map<RunId, RunCredits>()
  private older = new Map<RunId, RunCredits>()
  private added = 0
  /** the revision behind which the newer half begins */
  private middle: number

  /** @param since the revision of the account's stream behind which it begins; -1: with the first event */
  constructor(private begin: number) {
    this.middle = begin
  }

  /** Charges and refunds after this revision are all there, earlier ones are not. */
  get since(): number {
    return this.begin
  }

  /** Adds the event at a revision; each must be the one behind the last. Others than charges and refunds count too. */
  add(event: DomainEvent, revision: number): void {
    if (!isBooking(event)) return
    const run = event.data.run_id
    this.newer.set(run, evolveRunCredits(this.newer.get(run), event))
    if (++this.added < KEPT) return
    this.added = 0
    this.older = this.newer
    this.newer = new Map()
    this.begin = this.middle
    this.middle = revision
  }

  /** What a run took and got back since {@link since}; undefined when nothing. */
  of(run: RunId): RunCredits | undefined {
    return sumOf(this.older.get(run), this.newer.get(run))
  }

  /** The runs that took or got back something since {@link since}. */
  get runs(): readonly RunId[] {
    return [...this.older.keys(), ...this.newer.keys()]
  }

  /** Whether a run can't have anything before {@link since}: its first charge is here, or all there is. */
  isWhole(run: RunId): boolean {
    return this.begin < 0 || this.of(run)?.reason !== undefined
  }
}

/** An event that charges or refunds a run. */
export const isBooking = (
  event: DomainEvent | undefined,
): event is DomainEvent<'CreditsCharged' | 'CreditsRefunded'> =>
  event?.type === 'CreditsCharged' || event?.type === 'CreditsRefunded'

/** The sums of two parts of a run's history. */
export function sumOf(a: RunCredits | undefined, b: RunCredits | undefined): RunCredits | undefined {
  if (!a || !b) return a ?? b
  return {
    charged: a.charged + b.charged,
    refunded: a.refunded + b.refunded,
    blocks: Math.max(a.blocks, b.blocks),
    reason: a.reason ?? b.reason,
  }
}
