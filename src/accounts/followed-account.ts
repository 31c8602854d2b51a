/**
 * An account as this process has followed its stream: never ahead of what the log has, and in memory that does not grow
 * with what was booked.
 *
 * @module
 */
import { type AccountState, evolveRunCredits, type RunCredits } from '../domain/account.ts'
import type { DomainEvent, Metadata } from '../domain/events.ts'
import { type AccountId, accountStream, type RunId } from '../domain/ids.ts'
import type { EventLog, Recorded } from '../log/event-log.ts'
import type { Loaded } from '../log/execute.ts'
import { accountFold } from '../log/folds.ts'
import type { AccountStates, LedgerEntry } from './account-states.ts'

/** Events of the account that are read, and so are in memory, at once. */
const PAGE = 500
/** At least so many of the latest charges and refunds are in memory, and at most twice as many. */
const KEPT = 32

/** What runs had taken and got back up to a revision of the stream. */
export type Past = { readonly upTo: number; readonly credits: ReadonlyMap<RunId, RunCredits> }

const NOTHING_PROJECTED = { upTo: -1, entries: [] }

export class FollowedAccount {
  private state: Loaded<AccountState> = { state: accountFold.initial, revision: -1 }
  /** all charges and refunds after the revision `since` */
  private recent: LedgerEntry[] = []
  private since = -1
  /** whether it has ever come to the end of the stream */
  private isLoaded = false
  /** the newest revision that was heard of */
  private heard = -1

  constructor(
    private readonly id: AccountId,
    private readonly log: EventLog,
    private readonly states: AccountStates,
  ) {}

  /** The state and the revision that it is of. */
  get known(): Loaded<AccountState> {
    return this.state
  }

  /** Whether the stream must have more than is known. */
  get isBehind(): boolean {
    return !this.isLoaded || this.state.revision < this.heard
  }

  /** Takes an event that any process wrote. One out of order shows only that there are more. */
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
   * What runs had before the charges and refunds in memory: from the read models as far as they have come, and from the
   * stream for the rest, backwards, and no further than to the first charges of these runs. Nothing is read for a run
   * whose first charge is in memory.
   *
   * @throws {StoreUnavailable} when the log can't be read
   */
  async past(runs: ReadonlySet<RunId>): Promise<Past> {
    const upTo = this.since
    const credits = new Map<RunId, RunCredits>()
    /** runs of which there may be something earlier: their first charge was not met yet */
    const open = new Set(upTo < 0 ? [] : [...runs].filter((run) => !this.startedLately(run)))
    if (open.size === 0) return { upTo, credits }
    const asked = new Set(open)
    const projected = await this.projected(asked)
    // Backwards, as they are read; sums don't mind.
    const add = ({ revision, event }: LedgerEntry) => {
      const { run_id } = event.data
      if (revision <= upTo && asked.has(run_id))
        credits.set(run_id, evolveRunCredits(credits.get(run_id), event))
    }
    projected.entries.forEach(add)
    for (let end = upTo; end > projected.upTo && open.size > 0; end -= PAGE) {
      const from = Math.max(projected.upTo + 1, end - PAGE + 1)
      const events = await this.log.readStream(accountStream(this.id), from, end - from + 1)
      for (const { event, revision } of events) {
        if (!isLedgerEvent(event)) continue
        add({ revision, event })
        if (isFirstCharge(event)) open.delete(event.data.run_id)
      }
    }
    return { upTo, credits }
  }

  /** Whether all that came after `past` is in memory still. If not, it must be asked for again. */
  counts({ upTo }: Past): boolean {
    return upTo === this.since
  }

  /** What a run took and got back up to `known`. */
  creditsOf(run: RunId, { credits }: Past): RunCredits | undefined {
    let sum = credits.get(run)
    for (const { event } of this.recent) if (event.data.run_id === run) sum = evolveRunCredits(sum, event)
    return sum
  }

  /** The entries that the read models have of these runs, and the revision up to which there are no others. */
  private async projected(runs: ReadonlySet<RunId>) {
    const state = await this.states.account(this.id)
    if (!state) return NOTHING_PROJECTED
    const found = await Promise.all([...runs].map((run) => this.states.entries(this.id, run, state)))
    if (found.includes(undefined)) return NOTHING_PROJECTED
    const upTo = state.revision
    return { upTo, entries: found.flatMap((each) => each ?? []).filter(({ revision }) => revision <= upTo) }
  }

  private startedLately(run: RunId): boolean {
    return this.recent.some(({ event }) => event.data.run_id === run && isFirstCharge(event))
  }

  /** Takes the next event of the stream; leaves alone what it knows, and what does not follow. */
  private advance(revision: number, event: DomainEvent | undefined, meta: Metadata): void {
    if (revision !== this.state.revision + 1) return
    const { state } = this.state
    this.state = { state: event ? accountFold.evolve(state, event, meta) : state, revision }
    if (!isLedgerEvent(event)) return
    this.recent.push({ revision, event })
    if (this.recent.length < 2 * KEPT) return
    this.since = this.recent[KEPT - 1]!.revision
    this.recent = this.recent.slice(KEPT)
  }

  /** Begins with a state of the read models where there is one. */
  private async start(): Promise<void> {
    const found = await this.states.account(this.id)
    if (!found || this.isLoaded || found.revision <= this.state.revision) return
    this.state = { state: found.state, revision: found.revision }
    this.recent = []
    this.since = found.revision
  }
}

const isLedgerEvent = (event: DomainEvent | undefined): event is LedgerEntry['event'] =>
  event?.type === 'CreditsCharged' || event?.type === 'CreditsRefunded'

const isFirstCharge = (event: LedgerEntry['event']): boolean =>
  event.type === 'CreditsCharged' && event.data.block === undefined
