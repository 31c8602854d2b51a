/**
 * The account as this process knows it. Never newer than the log; keeps only the latest 32 to 64 charges and refunds.
 * Older ones come from the read models or, as far as these lag, from the stream.
 *
 * @module
 */
import { accounts } from '../../projections/accounts.ts'
import { type LedgerRow, ledger } from '../../projections/ledger.ts'
import { type AccountState, accountDecider, evolveRunCredits, type RunCredits } from '../domain/account.ts'
import type { Actor, DomainEvent, Metadata } from '../domain/events.ts'
import { type AccountId, accountStream, type RunId } from '../domain/ids.ts'
import { unlessAway } from '../log/away.ts'
import type { EventLog, Position, Recorded } from '../log/event-log.ts'
import type { Loaded } from '../log/execute.ts'
import { type ReadModels, reachedIn } from '../read/read-models.ts'

/** Events of the account that are read, and held in memory, at once. */
const PAGE = 500
/** At least this many of the latest charges and refunds stay in memory, and at most twice as many. */
const KEPT = 32

/** A typical run is charged a handful of times; an export of a million posts about a thousand times. */
const MOST_ENTRIES = 5000

/** A charge or refund, with its revision in the account's stream. */
export type LedgerEntry = {
  readonly revision: number
  readonly event: DomainEvent<'CreditsCharged' | 'CreditsRefunded'>
  readonly actor: Actor
}

/** Charges and refunds of runs up to a revision of the stream. */
export type Past = { readonly upTo: number; readonly credits: ReadonlyMap<RunId, RunCredits> }

const NOTHING_PROJECTED: { readonly upTo: number; readonly entries: readonly LedgerEntry[] } = {
  upTo: -1,
  entries: [],
}

export class FollowedAccount {
  /** the state and its revision */
  known: Loaded<AccountState> = { state: accountDecider.initial, revision: -1 }
  /** all charges and refunds after the revision `since` */
  private recent: LedgerEntry[] = []
  private since = -1
  /** whether it has ever reached the end of the stream */
  private isLoaded = false
  /** the newest revision observed */
  private latestRevision = -1

  constructor(
    private readonly id: AccountId,
    private readonly log: EventLog,
    private readonly readModels: Pick<ReadModels, 'get' | 'list' | 'checkpoint'>,
  ) {}

  /** Whether the stream may hold events that are not applied yet. */
  get isBehind(): boolean {
    return !this.isLoaded || this.known.revision < this.latestRevision
  }

  /** Applies an event written by any process. An event out of order only proves that newer events exist. */
  observe({ revision, event, meta }: Pick<Recorded, 'revision' | 'event' | 'meta'>): void {
    this.latestRevision = Math.max(this.latestRevision, revision)
    if (this.isLoaded) this.advance(revision, event, meta)
  }

  /** Reads the stream up to its current end, a page at a time. @throws {StoreUnavailable} */
  async refresh(): Promise<void> {
    if (!this.isLoaded) await this.start()
    for (;;) {
      const from = this.known.revision + 1
      const events = await this.log.readStream(accountStream(this.id), from, PAGE)
      for (const { revision, event, meta } of events) this.advance(revision, event, meta)
      if (events.length < PAGE) break
    }
    this.isLoaded = true
  }

  /**
   * The charges and refunds of runs before those in memory. The read models supply them as far as they have been
   * projected. The rest is read from the stream, backwards, until the first charges of these runs are found. Nothing is
   * read for a run whose first charge is in memory.
   *
   * @throws {StoreUnavailable} when the log can't be read
   */
  async past(runs: ReadonlySet<RunId>): Promise<Past> {
    const upTo = this.since
    const credits = new Map<RunId, RunCredits>()
    /** runs that may have earlier entries: their first charge was not found yet */
    const open = new Set(upTo < 0 ? [] : [...runs].filter((run) => !this.startedLately(run)))
    if (open.size === 0) return { upTo, credits }
    const openRuns = new Set(open)
    const projected = await this.projected(openRuns)
    // Entries are added backwards, as they are read. The order does not affect the sums.
    const add = ({ revision, event, actor }: LedgerEntry) => {
      const { run_id } = event.data
      if (revision <= upTo && openRuns.has(run_id))
        credits.set(run_id, evolveRunCredits(credits.get(run_id), event, actor))
    }
    projected.entries.forEach(add)
    for (let end = upTo; end > projected.upTo && open.size > 0; end -= PAGE) {
      const from = Math.max(projected.upTo + 1, end - PAGE + 1)
      const events = await this.log.readStream(accountStream(this.id), from, end - from + 1)
      for (const { event, revision, meta } of events) {
        if (!isOfLedger(event)) continue
        add({ revision, event, actor: meta.actor })
        if (isFirstCharge(event)) open.delete(event.data.run_id)
      }
    }
    return { upTo, credits }
  }

  /** Whether everything after `past` is still in memory. If not, the caller must call `past()` again. */
  counts({ upTo }: Past): boolean {
    return upTo === this.since
  }

  /** A run's charges and refunds up to `known`. */
  creditsOf(run: RunId, { credits }: Past): RunCredits | undefined {
    let sum = credits.get(run)
    for (const { event, actor } of this.recent)
      if (event.data.run_id === run) sum = evolveRunCredits(sum, event, actor)
    return sum
  }

  /** The entries of these runs in the read models, and the revision up to which they are complete. */
  private async projected(runs: ReadonlySet<RunId>) {
    const row = await this.row()
    if (!row) return NOTHING_PROJECTED
    const { revision: upTo, position } = row
    const entries: LedgerEntry[] = []
    for (const each of await Promise.all([...runs].map((run) => unlessAway(this.entries(run, position))))) {
      if (!each) return NOTHING_PROJECTED
      entries.push(...each.filter(({ revision }) => revision <= upTo))
    }
    return { upTo, entries }
  }

  /**
   * The account's row in the read models, with its revision. Undefined unless all its ledger entries are projected too,
   * and while the read models are unavailable: everything is in the log.
   */
  private row() {
    return unlessAway(
      (async () => {
        const [row, checkpoint] = await Promise.all([
          this.readModels.get(accounts, this.id),
          this.readModels.checkpoint(accounts),
        ])
        const counts = row && checkpoint?.logId === this.log.id && (await this.hasEntries(row.position))
        return counts ? row : undefined
      })(),
    )
  }

  /** Whether the projected ledger contains all entries up to a position. */
  private async hasEntries(position: Position): Promise<boolean> {
    return reachedIn(this.log, await this.readModels.checkpoint(ledger)) >= position
  }

  /**
   * All projected entries of a run up to a position, and possibly later ones. Undefined when entries are missing,
   * because the read model is being rebuilt or the run has too many of them.
   */
  private async entries(run: RunId, position: Position): Promise<readonly LedgerEntry[] | undefined> {
    // Request the rows before the checkpoint: a model emptied before the rows were read cannot have caught up by then.
    const rows = this.readModels.list(ledger, 'by_run', {
      equals: [this.id, run],
      order: 'ascending',
      limit: MOST_ENTRIES,
    })
    const [entries, isComplete] = await Promise.all([rows, this.hasEntries(position)])
    if (!isComplete || entries.length === MOST_ENTRIES) return undefined
    return entries.flatMap((row) => entryOf(this.id, run, row))
  }

  private startedLately(run: RunId): boolean {
    return this.recent.some(({ event }) => event.data.run_id === run && isFirstCharge(event))
  }

  /** Applies the next event of the stream; ignores known events and events that leave a gap. */
  private advance(revision: number, event: DomainEvent | undefined, meta: Metadata): void {
    if (revision !== this.known.revision + 1) return
    const { state } = this.known
    this.known = { state: event ? accountDecider.evolve(state, event, meta) : state, revision }
    if (!isOfLedger(event)) return
    this.recent.push({ revision, event, actor: meta.actor })
    if (this.recent.length < 2 * KEPT) return
    this.since = this.recent[KEPT - 1]!.revision
    this.recent = this.recent.slice(KEPT)
  }

  /** Starts from the state in the read models, if it is available. */
  private async start(): Promise<void> {
    const row = await this.row()
    if (!row || this.isLoaded || row.revision <= this.known.revision) return
    this.known = { state: row.state, revision: row.revision }
    this.recent = []
    this.since = row.revision
  }
}

function entryOf(account_id: AccountId, run_id: RunId, row: LedgerRow): LedgerEntry[] {
  const { revision, amount, balance_after, reason, block, actor } = row
  // Only a grant may lack a reason.
  const data = { account_id, run_id, amount, balance_after, reason: reason as string }
  if (row.kind === 'refunded') return [{ revision, event: { type: 'CreditsRefunded', data }, actor }]
  if (row.kind !== 'charged') return []
  const charged = block === null ? data : { ...data, block }
  return [{ revision, event: { type: 'CreditsCharged', data: charged }, actor }]
}

/** Whether an event of an account is a charge or refund of a run. */
export const isOfLedger = (event: DomainEvent | undefined): event is LedgerEntry['event'] =>
  event?.type === 'CreditsCharged' || event?.type === 'CreditsRefunded'

const isFirstCharge = (event: LedgerEntry['event']): boolean =>
  event.type === 'CreditsCharged' && event.data.block === undefined
