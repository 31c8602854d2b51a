/**
 * The accounts of this process: charges, refunds, grants and entitlements, each decided against the exact state of the
 * account's stream. Charges of one account follow each other without waiting: each is decided on the state that the
 * ones before it will leave, and fails with them.
 *
 * @module
 */
import {
  type AccountCommand,
  type AccountRefusal,
  type AccountState,
  decideAccount,
  evolveRunCredits,
  type RunCredits,
} from '../domain/account.ts'
import type { DomainEvent } from '../domain/events.ts'
import { type AccountId, accountStream, type RunId } from '../domain/ids.ts'
import { type Appended, type EventLog, type Recorded, WrongExpectedRevision } from '../log/event-log.ts'
import { append, type Cause, envelop, foldFrom, type Loaded } from '../log/execute.ts'
import { accountFold } from '../log/folds.ts'

/** A charge or refund as the ledger knows it, with its revision in the account's stream. */
export type Booking = {
  readonly revision: number
  readonly event: DomainEvent<'CreditsCharged' | 'CreditsRefunded'>
}

/**
 * Where folds of long account streams start: a read model's rows, each with the revision that it reflects. It may lag;
 * what it lacks is read from the stream.
 */
export interface Snapshots {
  account(id: AccountId): Promise<Loaded<AccountState> | undefined>
  /** All bookings of one run that the snapshot has. */
  bookings(id: AccountId, run: RunId): Promise<readonly Booking[]>
}

/** What became of a command: refused, or accepted with the append that makes it so (undefined: nothing was to do). */
export type Entry =
  | { readonly refused: AccountRefusal }
  | {
      readonly refused?: undefined
      readonly events: readonly DomainEvent[]
      readonly state: AccountState
      /** resolves when it is durable; an append that depends on it may be given it as `after` */
      readonly written: Promise<Appended> | undefined
    }

const ATTEMPTS = 20
const PRUNE_AT = 4096

export class Ledger {
  private readonly tellers = new Map<AccountId, Teller>()

  constructor(
    private readonly log: EventLog,
    private readonly snapshots: Snapshots,
  ) {}

  /**
   * Decides a command and sends its append. It comes back as soon as the append has its place; wait for `written`
   * before telling anyone. When `written` rejects with WrongExpectedRevision, call again.
   *
   * @param options.fresh the command's run id was made just now, so nothing can have been booked for it
   */
  submit(command: AccountCommand, cause: Cause, options: { readonly fresh?: boolean } = {}): Promise<Entry> {
    return this.teller(command.accountId).submit(command, cause, options.fresh ?? false)
  }

  /** Decides a command and waits until it is durable; decides again when another process was faster. */
  async execute(command: AccountCommand, cause: Cause): Promise<Entry> {
    for (let attempt = 1; ; attempt++) {
      const entry = await this.submit(command, cause)
      if (entry.refused) return entry
      try {
        await entry.written
        return entry
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || attempt === ATTEMPTS) throw error
      }
    }
  }

  /** The account as its stream says right now. */
  state(id: AccountId): Promise<AccountState> {
    return this.teller(id).fresh()
  }

  /** The account as this process last saw it, without asking the log; undefined when it never did. */
  seen(id: AccountId): AccountState | undefined {
    return this.tellers.get(id)?.seen
  }

  /** Brings what another process wrote to an account; events that are known already are left out. */
  observe(recorded: Recorded): void {
    const id =
      recorded.event && 'account_id' in recorded.event.data ? recorded.event.data.account_id : undefined
    if (id) this.tellers.get(id)?.observe(recorded)
  }

  /** What a run has taken and got back, by the stream as it is now; undefined when nothing was booked. */
  credits(id: AccountId, run: RunId): Promise<RunCredits | undefined> {
    return this.teller(id).credits(run)
  }

  private teller(id: AccountId): Teller {
    let teller = this.tellers.get(id)
    if (!teller) {
      teller = new Teller(id, this.log, this.snapshots)
      this.tellers.set(id, teller)
      this.evict()
    }
    return teller
  }

  /** The oldest tellers that are not at work go when there are very many. */
  private evict(): void {
    if (this.tellers.size <= 10_000) return
    for (const [id, teller] of this.tellers) {
      if (!teller.busy) {
        this.tellers.delete(id)
        return
      }
    }
  }
}

/** One account. `known` runs ahead of the log by the appends under way; when one fails, all that follow it do. */
class Teller {
  private known: Loaded<AccountState> | undefined
  private loading: Promise<void> | undefined
  private last: Promise<Appended> | undefined
  /** counts the times that everything was forgotten: a failure of an earlier time means nothing now */
  private era = 0
  /** bookings after revision `base`, by run; those up to it are in the snapshot */
  private recent = new Map<RunId, Booking[]>()
  private recentCount = 0
  private base = -1

  constructor(
    private readonly id: AccountId,
    private readonly log: EventLog,
    private readonly snapshots: Snapshots,
  ) {}

  get busy(): boolean {
    return this.last !== undefined || this.loading !== undefined
  }

  get seen(): AccountState | undefined {
    return this.known?.state
  }

  async submit(command: AccountCommand, cause: Cause, fresh: boolean): Promise<Entry> {
    for (let checked = false; ; ) {
      if (!this.known) await this.load()
      const run = command.type === 'charge' || command.type === 'refund' ? command.runId : undefined
      const asked = this.base
      const old = run && !fresh ? await this.snapshots.bookings(this.id, run) : []
      const known = this.known
      if (!known || asked !== this.base) continue
      // From here to the append nothing waits: what is decided on is what the append follows.
      const decision = decideAccount(command, known.state, run && this.sum(run, old))
      if (Array.isArray(decision)) return this.send(known, decision, cause)
      // What it was refused for may hang on an append that fails yet, or be news of another process.
      if (checked || !(await this.refreshed(known))) return { refused: decision as AccountRefusal }
      checked = true
    }
  }

  async fresh(): Promise<AccountState> {
    await this.settled()
    await this.load()
    return (this.known ?? { state: accountFold.initial }).state
  }

  async credits(run: RunId): Promise<RunCredits | undefined> {
    for (;;) {
      await this.fresh()
      const asked = this.base
      const old = await this.snapshots.bookings(this.id, run)
      if (asked === this.base) return this.sum(run, old)
    }
  }

  observe(recorded: Recorded): void {
    if (!this.known || this.last || recorded.revision !== this.known.revision + 1) return
    this.take([recorded])
  }

  private send(known: Loaded<AccountState>, events: readonly DomainEvent[], cause: Cause): Entry {
    if (events.length === 0) return { events, state: known.state, written: this.last }
    const envelopes = envelop(events, cause)
    const written = append(this.log, accountStream(this.id), known.revision, envelopes, {
      after: [this.last],
    })
    let { state, revision } = known
    for (const { event, meta } of envelopes) {
      state = accountFold.evolve(state, event, meta)
      this.book(event, ++revision)
    }
    this.known = { state, revision }
    this.last = written
    const era = this.era
    written.then(
      () => {
        if (this.last === written) this.last = undefined
      },
      () => {
        if (era === this.era) this.forget()
      },
    )
    return { events, state, written }
  }

  /** After a failed append nothing that this process believed of the account counts. */
  private forget(): void {
    this.era++
    this.known = undefined
    this.last = undefined
    this.recent.clear()
    this.recentCount = 0
    this.base = -1
  }

  /** Waits for the appends under way and reads the tail. @returns whether the state is another one now */
  private async refreshed(known: Loaded<AccountState>): Promise<boolean> {
    await this.settled()
    await this.load()
    return this.known?.revision !== known.revision
  }

  private async settled(): Promise<void> {
    while (this.last) await this.last.catch(() => undefined)
  }

  private load(): Promise<void> {
    this.loading ??= this.read().finally(() => {
      this.loading = undefined
    })
    return this.loading
  }

  private async read(): Promise<void> {
    if (!this.known) {
      const snapshot = await this.snapshots.account(this.id)
      if (this.known) return
      this.base = snapshot?.revision ?? -1
      this.known = snapshot ?? { state: accountFold.initial, revision: -1 }
    }
    this.take(await this.log.readStream(accountStream(this.id), this.known.revision + 1))
    if (this.recentCount > PRUNE_AT) await this.prune()
  }

  private take(events: readonly Recorded[]): void {
    if (!this.known) return
    const before = this.known.revision
    this.known = foldFrom(accountFold, this.known, events)
    for (const { event, revision } of events) if (event && revision > before) this.book(event, revision)
  }

  private book(event: DomainEvent, revision: number): void {
    if (event.type !== 'CreditsCharged' && event.type !== 'CreditsRefunded') return
    const bookings = this.recent.get(event.data.run_id)
    if (bookings) bookings.push({ revision, event })
    else this.recent.set(event.data.run_id, [{ revision, event }])
    this.recentCount++
    if (this.recentCount === PRUNE_AT) void this.prune()
  }

  /** Drops the bookings that the snapshot has by now. */
  private async prune(): Promise<void> {
    const snapshot = await this.snapshots.account(this.id)
    if (!snapshot || snapshot.revision <= this.base) {
      this.recentCount = 0
      return
    }
    this.base = snapshot.revision
    this.recentCount = 0
    for (const [run, bookings] of this.recent) {
      const left = bookings.filter((b) => b.revision > this.base)
      if (left.length === 0) this.recent.delete(run)
      else this.recent.set(run, left)
    }
  }

  /** A run's credits: the snapshot's bookings up to `base`, and the recent ones after it. */
  private sum(run: RunId, old: readonly Booking[]): RunCredits | undefined {
    let credits: RunCredits | undefined
    for (const { revision, event } of old) {
      if (revision <= this.base) credits = evolveRunCredits(credits, event)
    }
    for (const { event } of this.recent.get(run) ?? []) credits = evolveRunCredits(credits, event)
    return credits
  }
}
