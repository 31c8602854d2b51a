/**
 * The accounts of this process: charges, refunds, grants and entitlements, each decided against the exact state of the
 * account's stream. Charges of one account follow each other without waiting: each is decided on the state that the
 * ones before it will leave, and fails with them.
 *
 * @module
 */
import type { AccountCommand, AccountRefusal, AccountState, RunCredits } from '../domain/account.ts'
import type { DomainEvent } from '../domain/events.ts'
import { type AccountId, categoryOf, idOf, type RunId } from '../domain/ids.ts'
import {
  type Appended,
  type EventLog,
  type Position,
  type Recorded,
  StoreUnavailable,
  WrongExpectedRevision,
} from '../log/event-log.ts'
import { type Cause, type Loaded, standBack } from '../log/execute.ts'
import { Teller } from './teller.ts'

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

export class Ledger {
  private readonly tellers = new Map<AccountId, Teller>()

  constructor(
    private readonly log: EventLog,
    private readonly snapshots: Snapshots,
    /** told of each event that this process wrote to an account, once it is durable; must not throw */
    private readonly onWritten?: (event: DomainEvent) => void,
  ) {}

  /**
   * Decides a command and sends its append. It comes back as soon as the append has its place; wait for `written`
   * before telling anyone. When `written` rejects with WrongExpectedRevision, call again.
   *
   * @param options.fresh the command's run id was made just now, so nothing can have been booked for it
   */
  async submit(
    command: AccountCommand,
    cause: Cause,
    options: { readonly fresh?: boolean } = {},
  ): Promise<Entry> {
    const entry = await this.teller(command.accountId).submit(command, cause, options.fresh ?? false)
    const { onWritten } = this
    if (onWritten && !entry.refused) {
      const told = () => entry.events.forEach(onWritten)
      // That it was not written is told to whoever waits for it.
      entry.written?.then(told, () => undefined)
    }
    return entry
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
