/**
 * The only access to accounts: their credits, entitlements, names and members. Each command is decided on the exact
 * state of the account's stream.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { AccountCommand, AccountState, RunCredits } from '../domain/account.ts'
import type { DomainEvent } from '../domain/events.ts'
import { type AccountId, categoryOf, idOf, type RunId } from '../domain/ids.ts'
import { type EventLog, type Recorded, StoreUnavailable, WrongExpectedRevision } from '../log/event-log.ts'
import { afterConflict, type Cause } from '../log/execute.ts'
import type { ReadModels } from '../read/read-models.ts'
import { AccountWriter, type CommandAnswer, type WriterDeps } from './account-writer.ts'

const ATTEMPTS = 20
/** The most accounts in memory; the least recently used are evicted. */
const MOST_ACCOUNTS = 10_000

export class Accounts {
  private readonly writers = new BoundedCache<AccountId, AccountWriter>(MOST_ACCOUNTS)
  private readonly deps: WriterDeps

  /**
   * @param readModels save reading long streams; they may lag, and be unavailable
   * @param onWritten called with each event that this process wrote to an account, once it is durable; must not throw
   * @param now milliseconds since 1970: an entry gets the time of the decision that is written
   */
  constructor(
    log: EventLog,
    readModels: Pick<ReadModels, 'get' | 'list' | 'checkpoint'>,
    onWritten: (event: DomainEvent) => void = () => {},
    now: () => number = clock.now,
  ) {
    this.deps = { log, readModels, onWritten, now }
  }

  /**
   * Decides a command and sends its append. Resolves as soon as the append is sent; wait for `written` before answering
   * anyone. Commands submitted together share an append and its `written`. When `written` rejects with
   * WrongExpectedRevision, call again.
   *
   * @param options.fresh the command's run id was created just now, so it cannot have any ledger entries
   */
  submit(
    command: AccountCommand,
    cause: Omit<Cause, 'now'>,
    { fresh = false }: { readonly fresh?: boolean } = {},
  ): Promise<CommandAnswer> {
    return this.writer(command.accountId).submit({ command, cause, fresh })
  }

  /**
   * Decides a command and waits until it is durable; decides again after a lost race with another process.
   *
   * @throws {StoreUnavailable} when the outcome is unknown, or after 20 lost races
   */
  async handle(command: AccountCommand, cause: Omit<Cause, 'now'>): Promise<CommandAnswer> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.submit(command, cause)
      if (outcome.refused) return outcome
      try {
        await outcome.written
        return outcome
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error
        if (attempt === ATTEMPTS) throw new StoreUnavailable('too many writers at once', { cause: error })
        await afterConflict(attempt)
      }
    }
  }

  /** The account's current state, read from its stream. */
  state(id: AccountId): Promise<AccountState> {
    return this.writer(id).state()
  }

  /** The account as this process last saw it, without reading the log; undefined when the log must be read. */
  seen(id: AccountId): AccountState | undefined {
    return this.writers.get(id)?.seen
  }

  /** The account as this process last saw it; read from its stream if this process has not seen it. */
  async lastSeen(id: AccountId): Promise<AccountState> {
    return this.seen(id) ?? this.state(id)
  }

  /** Applies an event that any process wrote to an account; known events are ignored. */
  observe(recorded: Recorded): void {
    if (categoryOf(recorded.stream) !== 'account') return
    this.writers.get(idOf(recorded.stream) as AccountId)?.account.observe(recorded)
  }

  /** Discards everything read so far: the log was set back or replaced. */
  forget(): void {
    for (const writer of this.writers.values()) writer.forget()
  }

  /** A run's charges and refunds, from the current stream; undefined when it has no ledger entries. */
  credits(id: AccountId, run: RunId): Promise<RunCredits | undefined> {
    return this.writer(id).credits(run)
  }

  private writer(id: AccountId): AccountWriter {
    const known = this.writers.get(id)
    if (known) return known
    const writer = new AccountWriter(id, this.deps)
    // If an evicted writer is still at work, a second writer for its account only loses races.
    this.writers.set(id, writer)
    return writer
  }
}
