/**
 * An account as this process has followed its stream: never ahead of what the log has.
 *
 * @module
 */
import type { AccountState, RunCredits } from '../domain/account.ts'
import type { DomainEvent, Metadata } from '../domain/events.ts'
import { type AccountId, accountStream, type RunId } from '../domain/ids.ts'
import type { EventLog, Recorded } from '../log/event-log.ts'
import type { Loaded } from '../log/execute.ts'
import { accountFold } from '../log/folds.ts'
import type { Snapshots } from './ledger.ts'
import { pastCredits } from './past-credits.ts'
import { isBooking, RecentCredits, sumOf } from './recent-credits.ts'
import type { RunFilter } from './run-filter.ts'

/** Events of the account that are read, and so are in memory, at once. */
const PAGE = 500

/** What runs had up to a revision of the stream. */
export type Past = { readonly upTo: number; readonly credits: ReadonlyMap<RunId, RunCredits> }

export class FollowedAccount {
  private state: Loaded<AccountState> = { state: accountFold.initial, revision: -1 }
  private recent = new RecentCredits(-1)
  /** whether it has ever come to the end of the stream */
  private isLoaded = false
  /** the newest revision that was heard of */
  private heard = -1
  private starting: Promise<void> | undefined
  /** all runs that were ever charged, once they had to be looked for in the whole stream */
  private filter: RunFilter | undefined

  constructor(
    private readonly id: AccountId,
    readonly log: EventLog,
    readonly snapshots: Snapshots,
  ) {}

  /** The state and the revision that it is of. */
  get known(): Loaded<AccountState> {
    return this.state
  }

  /** Whether the stream must have more than is known. */
  get isBehind(): boolean {
    return !this.isLoaded || this.state.revision < this.heard
  }

  /** Brings an event that was written, by whomever. One out of turn tells only that there is more. */
  observe({ revision, event, meta }: Pick<Recorded, 'revision' | 'event' | 'meta'>): void {
    this.heard = Math.max(this.heard, revision)
    if (this.isLoaded) this.advance(revision, event, meta)
  }

  /** Follows the stream to where it ends now, a page at a time. @throws {StoreUnavailable} */
  async refresh(): Promise<void> {
    if (!this.isLoaded) await this.start()
    for (;;) {
      const from = this.state.revision + 1
      const events = await this.log.readStream(accountStream(this.id), from, PAGE)
      for (const { revision, event, meta } of events) this.advance(revision, event, meta)
      if (events.length < PAGE) break
    }
    this.isLoaded = true
  }

  /**
   * What runs had before the latest charges and refunds, which are remembered; nothing is asked for a run that can't
   * have had anything.
   *
   * @throws {StoreUnavailable}
   */
  async past(runs: ReadonlySet<RunId>): Promise<Past> {
    const upTo = this.recent.since
    const mayHave = (run: RunId) => !this.recent.isWhole(run) && (this.filter?.mayHave(run) ?? true)
    const asked = new Set([...runs].filter(mayHave))
    const { credits, filter } = await pastCredits(this, this.id, asked, upTo)
    // It lacks what has come since: that is in the way only where it has left `recent` meanwhile.
    if (filter && !this.filter && upTo === this.recent.since) {
      for (const run of this.recent.runs) filter.add(run)
      this.filter = filter
    }
    return { upTo, credits }
  }

  /** Whether all that came after `past` is remembered still. If not, it must be asked for again. */
  counts({ upTo }: Past): boolean {
    return upTo === this.recent.since
  }

  /** What a run took and got back up to `known`. */
  creditsOf(run: RunId, { credits }: Past): RunCredits | undefined {
    return sumOf(credits.get(run), this.recent.of(run))
  }

  /** Takes the next event of the stream; leaves alone what it knows, and what does not follow. */
  private advance(revision: number, event: DomainEvent | undefined, meta: Metadata): void {
    if (revision !== this.state.revision + 1) return
    this.state = {
      state: event ? accountFold.evolve(this.state.state, event, meta) : this.state.state,
      revision,
    }
    if (!event) return
    this.recent.add(event, revision)
    if (this.filter && isBooking(event)) this.filter.add(event.data.run_id)
  }

  /** Begins with a snapshot where there is one. */
  private start(): Promise<void> {
    this.starting ??= this.snapshots
      .account(this.id)
      .then((snapshot) => {
        if (!snapshot || this.isLoaded || snapshot.revision <= this.state.revision) return
        this.state = { state: snapshot.state, revision: snapshot.revision }
        this.recent = new RecentCredits(snapshot.revision)
      })
      .finally(() => {
        this.starting = undefined
      })
    return this.starting
  }
}
