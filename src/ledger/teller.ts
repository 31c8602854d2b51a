/**
 * One account of this process: its state ahead of the log by the appends under way, and what single runs have taken.
 *
 * @module
 */
import {
  type AccountCommand,
  type AccountState,
  decideAccount,
  evolveRunCredits,
  type RunCredits,
} from '../domain/account.ts'
import type { DomainEvent } from '../domain/events.ts'
import { type AccountId, accountStream, type RunId } from '../domain/ids.ts'
import type { Appended, EventLog, Recorded } from '../log/event-log.ts'
import { append, type Cause, envelop, foldFrom, type Loaded } from '../log/execute.ts'
import { accountFold } from '../log/folds.ts'
import type { Booking, Entry, Snapshot, Snapshots } from './ledger.ts'

/** Bookings kept in memory before those that the snapshot has are dropped. */
const PRUNE_AT = 4096

/** One account. `known` runs ahead of the log by the appends under way; when one fails, all that follow it do. */
export class Teller {
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
