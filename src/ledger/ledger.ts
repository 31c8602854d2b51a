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
import { type AccountId, accountStream, categoryOf, idOf, type RunId } from '../domain/ids.ts'
import {
  type Appended,
  type EventLog,
  type Position,
  type Recorded,
  StoreUnavailable,
  WrongExpectedRevision,
} from '../log/event-log.ts'
import { append, type Cause, envelop, foldFrom, type Loaded, standBack } from '../log/execute.ts'
import { accountFold } from '../log/folds.ts'

/** A charge or refund as the ledger knows it, with its revision in the account's stream. */
export type Booking = {
  readonly revision: number
  readonly event: DomainEvent<'CreditsCharged' | 'CreditsRefunded'>
}

/** An account at a revision of its stream; `position` is that revision's place in the log. */
export type Snapshot = Loaded<AccountState> & { readonly position: Position }

/**
 * Where folds of long account streams start: a read model's rows, each with the revision that it reflects. It may lag;
 * what it lacks is read from the stream.
 */
export interface Snapshots {
  /** Only one whose bookings are all there; undefined otherwise, and the whole stream is read. */
  account(id: AccountId): Promise<Snapshot | undefined>
  /**
   * The bookings of one run, all of them up to `snapshot` and maybe later ones; undefined when they are not all there
   * any more, because the read model is being filled anew.
   */
  bookings(id: AccountId, run: RunId, snapshot: Snapshot): Promise<readonly Booking[] | undefined>
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

  /**
   * Decides a command and waits until it is durable; decides again when another process was faster.
   *
   * @throws {StoreUnavailable} when the outcome is unknown, or 20 times another process was faster
   */
  async execute(command: AccountCommand, cause: Cause): Promise<Entry> {
    for (let attempt = 1; ; attempt++) {
      const entry = await this.submit(command, cause)
      if (entry.refused) return entry
      try {
        await entry.written
        return entry
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error
        if (attempt === ATTEMPTS) throw new StoreUnavailable('too many writers at once', { cause: error })
        await standBack(attempt)
      }
    }
  }

  /** The account as its stream says right now. */
  state(id: AccountId): Promise<AccountState> {
    return this.teller(id).fresh()
  }

  /** The account as this process last saw it, without asking the log; undefined when it knows that it must. */
  seen(id: AccountId): AccountState | undefined {
    return this.tellers.get(id)?.seen
  }

  /** Brings what another process wrote to an account; events that are known already are left out. */
  observe(recorded: Recorded): void {
    if (categoryOf(recorded.stream) !== 'account') return
    this.tellers.get(idOf(recorded.stream) as AccountId)?.observe(recorded)
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
  /** the newest revision that was observed; when `known` is older, it must be loaded */
  private heard = -1
  /** bookings after the revision of `base`, by run; those up to it are in the snapshot */
  private readonly recent = new Map<RunId, Booking[]>()
  private base: Snapshot | undefined
  /** bookings since the last attempt to drop those that the snapshot has */
  private unpruned = 0

  constructor(
    private readonly id: AccountId,
    private readonly log: EventLog,
    private readonly snapshots: Snapshots,
  ) {}

  get busy(): boolean {
    return this.last !== undefined || this.loading !== undefined
  }

  get seen(): AccountState | undefined {
    return this.behind ? undefined : this.known?.state
  }

  async submit(command: AccountCommand, cause: Cause, fresh: boolean): Promise<Entry> {
    const run = command.type === 'charge' || command.type === 'refund' ? command.runId : undefined
    if (this.unpruned >= PRUNE_AT) await this.prune()
    for (let reloaded = false; ; ) {
      if (!this.known || this.behind) await this.load()
      const base = this.base
      const old = run && !fresh ? await this.before(base, run) : []
      const known = this.known
      if (!known || base !== this.base) continue
      // From here to the append nothing waits: what is decided on is what the append follows.
      const decision = decideAccount(command, known.state, run && this.sum(run, old))
      const decided = 'code' in decision ? [] : decision
      if (decided.length > 0) return this.send(known, decided, cause)
      // No append will show whether the state was old: what it was decided on must prove true some other way.
      const answer: Entry =
        'code' in decision
          ? { refused: decision }
          : { events: decided, state: known.state, written: undefined }
      if (this.last ? await isWritten(this.last) : reloaded) return answer
      await this.reload()
      reloaded = true
    }
  }

  /** The state that the stream has at one moment between the call and its answer. */
  async fresh(): Promise<AccountState> {
    for (;;) {
      await this.reload()
      const known = this.known
      if (known && (!this.last || (await isWritten(this.last)))) return known.state
    }
  }

  async credits(run: RunId): Promise<RunCredits | undefined> {
    for (;;) {
      await this.reload()
      const base = this.base
      const old = await this.before(base, run)
      if (!this.known || base !== this.base) continue
      const sum = this.sum(run, old)
      if (!this.last || (await isWritten(this.last))) return sum
    }
  }

  observe(recorded: Recorded): void {
    this.heard = Math.max(this.heard, recorded.revision)
    if (recorded.revision === (this.known?.revision ?? Number.NaN) + 1) this.take([recorded])
  }

  private get behind(): boolean {
    return this.known !== undefined && this.known.revision < this.heard
  }

  private send(known: Loaded<AccountState>, events: readonly DomainEvent[], cause: Cause): Entry {
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
    this.unpruned = 0
    this.base = undefined
  }

  private load(): Promise<void> {
    this.loading ??= this.read().finally(() => {
      this.loading = undefined
    })
    return this.loading
  }

  /** Loads, beginning now: a load under way may have read before something that the caller must see. */
  private async reload(): Promise<void> {
    await this.loading?.catch(() => undefined)
    await this.load()
  }

  private async read(): Promise<void> {
    const { era, known } = this
    const stream = accountStream(this.id)
    if (known) {
      const events = await this.log.readStream(stream, known.revision + 1)
      if (era === this.era) this.take(events)
      return
    }
    const snapshot = await this.snapshots.account(this.id)
    const start = snapshot ?? { state: accountFold.initial, revision: -1 }
    const events = await this.log.readStream(stream, start.revision + 1)
    this.base = snapshot
    this.known = start
    this.take(events)
  }

  private take(events: readonly Recorded[]): void {
    if (!this.known) return
    const before = this.known.revision
    this.known = foldFrom(accountFold, this.known, events)
    for (const { event, revision } of events) if (event && revision > before) this.book(event, revision)
  }

  private book(event: DomainEvent, revision: number): void {
    if (!isBooking(event)) return
    const bookings = this.recent.get(event.data.run_id)
    if (bookings) bookings.push({ revision, event })
    else this.recent.set(event.data.run_id, [{ revision, event }])
    this.unpruned++
  }

  /** Drops the bookings that the snapshot has by now. */
  private async prune(): Promise<void> {
    this.unpruned = 0
    const era = this.era
    const snapshot = await this.snapshots.account(this.id)
    if (!snapshot || era !== this.era || !this.known) return
    const { revision } = snapshot
    if (revision <= (this.base?.revision ?? -1) || revision > this.known.revision) return
    this.base = snapshot
    for (const [run, bookings] of this.recent) {
      const left = bookings.filter((b) => b.revision > revision)
      if (left.length === 0) this.recent.delete(run)
      else this.recent.set(run, left)
    }
  }

  /** A run's bookings up to `base`; from the stream when the snapshot's are not all there any more. */
  private async before(base: Snapshot | undefined, run: RunId): Promise<readonly Booking[]> {
    if (!base) return []
    const bookings =
      (await this.snapshots.bookings(this.id, run, base)) ??
      bookingsOf(await this.log.readStream(accountStream(this.id)), run)
    return bookings.filter(({ revision }) => revision <= base.revision)
  }

  /** A run's credits: the bookings up to `base`, and the recent ones after it. */
  private sum(run: RunId, old: readonly Booking[]): RunCredits | undefined {
    let credits: RunCredits | undefined
    for (const { event } of old) credits = evolveRunCredits(credits, event)
    for (const { event } of this.recent.get(run) ?? []) credits = evolveRunCredits(credits, event)
    return credits
  }
}

const isBooking = (event: DomainEvent): event is Booking['event'] =>
  event.type === 'CreditsCharged' || event.type === 'CreditsRefunded'

const bookingsOf = (events: readonly Recorded[], run: RunId): Booking[] =>
  events.flatMap(({ event, revision }) =>
    event && isBooking(event) && event.data.run_id === run ? [{ revision, event }] : [],
  )

const isWritten = (append: Promise<Appended>): Promise<boolean> =>
  append.then(
    () => true,
    () => false,
  )
