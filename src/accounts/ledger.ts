/**
 * The accounts of this process: charges, refunds, grants and entitlements, each decided against the exact state of the
 * account's stream.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { AccountCommand, AccountState, RunCredits } from '../domain/account.ts'
import type { DomainEvent } from '../domain/events.ts'
import { type AccountId, categoryOf, idOf, type RunId } from '../domain/ids.ts'
import { type EventLog, type Recorded, StoreUnavailable, WrongExpectedRevision } from '../log/event-log.ts'
import { backoff, type Cause } from '../log/execute.ts'
import type { AccountStates } from './account-states.ts'
import { AccountWriter, type Outcome, type WriterDeps } from './account-writer.ts'

const ATTEMPTS = 20
/** Accounts in memory, at most; those that were used last stay. */
const MOST_ACCOUNTS = 10_000

export class Ledger {
  private readonly writers = new BoundedCache<AccountId, AccountWriter>(MOST_ACCOUNTS)
  private readonly deps: WriterDeps

  /**
   * @param onWritten told of each event that this process wrote to an account, once it is durable; must not throw
   * @param now milliseconds since 1970: the time of an entry is that of the decision that is written
   */
  constructor(
    log: EventLog,
    states: AccountStates,
    private readonly onWritten?: (event: DomainEvent) => void,
    now: () => number = clock.now,
  ) {
    this.deps = { log, states, now }
  }

  /**
   * Decides a command and sends its append. It comes back as soon as the append has its place; wait for `written`
   * before telling anyone. Commands that come together share an append, and `written` with it. When it rejects with
   * WrongExpectedRevision, call again.
   *
   * @param options.fresh the command's run id was made just now, so nothing can have been booked for it
   */
  async submit(
    command: AccountCommand,
    cause: Omit<Cause, 'now'>,
    { fresh = false }: { readonly fresh?: boolean } = {},
  ): Promise<Outcome> {
    const outcome = await this.writer(command.accountId).submit({ command, cause, fresh })
    const { onWritten } = this
    if (onWritten && !outcome.refused) {
      const told = () => outcome.events.forEach(onWritten)
      // A failure reaches the caller, which waits for `written`.
      outcome.written?.then(told, () => undefined)
    }
    return outcome
  }

  /**
   * Decides a command and waits until it is durable; decides again when another process was faster.
   *
   * @throws {StoreUnavailable} when the outcome is unknown, or 20 times another process was faster
   */
  async execute(command: AccountCommand, cause: Omit<Cause, 'now'>): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.submit(command, cause)
      if (outcome.refused) return outcome
      try {
        await outcome.written
        return outcome
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error
        if (attempt === ATTEMPTS) throw new StoreUnavailable('too many writers at once', { cause: error })
        await backoff(attempt)
      }
    }
  }

  /** The account as its stream says right now. */
  state(id: AccountId): Promise<AccountState> {
    return this.writer(id).state()
  }

  /** The account as this process last saw it, without asking the log; undefined when it knows that it must. */
  seen(id: AccountId): AccountState | undefined {
    return this.writers.get(id)?.seen
  }

  /** Brings what another process wrote to an account; events that are known already are left out. */
  observe(recorded: Recorded): void {
    if (categoryOf(recorded.stream) !== 'account') return
    this.writers.get(idOf(recorded.stream) as AccountId)?.observe(recorded)
  }

  /** Nothing that was read before counts any more: the log was set back or replaced. */
  forget(): void {
    for (const writer of this.writers.values()) writer.forget()
  }

  /** What a run has taken and got back, by the stream as it is now; undefined when nothing was booked. */
  credits(id: AccountId, run: RunId): Promise<RunCredits | undefined> {
    return this.writer(id).credits(run)
  }

  private writer(id: AccountId): AccountWriter {
    const known = this.writers.get(id)
    if (known) return known
    const writer = new AccountWriter(id, this.deps)
    // Should one that is dropped for it be at work still, another one for its account only loses races.
    this.writers.set(id, writer)
    return writer
  }
}
