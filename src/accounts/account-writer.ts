/**
 * The commands to one account, decided one after the other on the exact state of its stream. Those that come while an
 * append is under way are decided together on the state that it leaves, and share the next append.
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
import {
  type Appended,
  type EventLog,
  type NewEvent,
  type Recorded,
  WrongExpectedRevision,
} from '../log/event-log.ts'
import { append, type Cause, envelop } from '../log/execute.ts'
import { accountFold } from '../log/folds.ts'
import type { AccountStates, LedgerEntry } from './account-states.ts'
import { FollowedAccount, type Past } from './followed-account.ts'

/** What an account's decisions need. */
export type WriterDeps = {
  readonly log: EventLog
  readonly states: AccountStates
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** What became of a command: refused, or accepted with the append that makes it so (undefined: nothing was to do). */
export type Outcome = { readonly refused: AccountRefusal } | Accepted
type Accepted = {
  readonly refused?: undefined
  readonly events: readonly DomainEvent[]
  readonly state: AccountState
  /** resolves when it is durable; an append that depends on it may be given it as `after` */
  readonly written: Promise<Appended> | undefined
}

/** A command that waits for its decision. */
type Waiting = {
  readonly command: AccountCommand
  readonly cause: Omit<Cause, 'now'>
  /** nothing can have been booked for the run of the command yet */
  readonly fresh: boolean
  readonly outcome: PromiseWithResolvers<Outcome>
}

/** Commands decided together: those that write, with their events, and those that write nothing; all with their answers. */
type Decided = {
  readonly events: NewEvent[]
  readonly writing: [Waiting, Omit<Accepted, 'written'>][]
  readonly quiet: [Waiting, Outcome][]
}

/** Commands that share an append at most: a few hundred bytes each, of the 1 MiB that event stores take at once. */
const MOST_AT_ONCE = 500

export class AccountWriter {
  private account: FollowedAccount
  /** an append failed: what the stream has by now must be read */
  private isStale = false
  private waiting: Waiting[] = []
  private isWorking = false

  constructor(
    private readonly id: AccountId,
    private readonly deps: WriterDeps,
  ) {
    this.account = this.followed()
  }

  /** The account as it was last seen, without a question to the log; undefined when there must be something newer. */
  get seen(): AccountState | undefined {
    return this.mustRead ? undefined : this.account.known.state
  }

  /** Decides a command in its turn; see `Ledger.submit`. */
  submit(submission: Omit<Waiting, 'outcome'>): Promise<Outcome> {
    const outcome = Promise.withResolvers<Outcome>()
    this.waiting.push({ ...submission, outcome })
    if (!this.isWorking) void this.work()
    return outcome.promise
  }

  /** The state that the stream has at one moment between the call and its answer. */
  async state(): Promise<AccountState> {
    const { account } = this
    await account.refresh()
    return account.known.state
  }

  /** What a run took and got back, at one moment between the call and the answer. */
  async credits(run: RunId): Promise<RunCredits | undefined> {
    const { account } = this
    await account.refresh()
    for (;;) {
      const past = await account.past(new Set([run]))
      if (account.counts(past)) return account.creditsOf(run, past)
    }
  }

  observe(recorded: Recorded): void {
    this.account.observe(recorded)
  }

  /** Nothing that was read before counts any more. */
  forget(): void {
    // What is under way goes on with the old one, and begins again when it comes to deciding.
    this.account = this.followed()
  }

  private followed(): FollowedAccount {
    return new FollowedAccount(this.id, this.deps.log, this.deps.states)
  }

  private get mustRead(): boolean {
    return this.isStale || this.account.isBehind
  }

  private async work(): Promise<void> {
    this.isWorking = true
    // What is submitted in the same moment is decided together.
    await Promise.resolve()
    while (this.waiting.length > 0) {
      const group = this.nextGroup()
      try {
        await this.decide(group)
      } catch (error) {
        for (const { outcome } of group) outcome.reject(error)
      }
    }
    this.isWorking = false
  }

  /** Charges, refunds and grants go together. The rest is rare, its events may be large, and it goes alone. */
  private nextGroup(): readonly Waiting[] {
    const large = this.waiting.findIndex(({ command: { type } }) => type === 'open' || type === 'entitle')
    const small = large < 0 ? this.waiting.length : large
    return this.waiting.splice(0, Math.max(1, Math.min(small, MOST_AT_ONCE)))
  }

  private async decide(group: readonly Waiting[]): Promise<void> {
    let read: FollowedAccount | undefined
    for (;;) {
      const { account } = this
      if (this.mustRead) {
        await account.refresh()
        this.isStale = false
        read = account
      }
      const past = await account.past(runsOf(group))
      if (account !== this.account || !account.counts(past)) continue
      // From here to the append nothing waits: what is decided on is what the append follows.
      const { revision } = account.known
      const decided = this.decisions(group, account, past)
      if (decided.events.length > 0) return this.write(account, revision, decided)
      if (read === account) {
        for (const [{ outcome }, answer] of decided.quiet) outcome.resolve(answer)
        return
      }
      // No append will show whether the state was old: it must have been read since these commands came.
      await account.refresh()
      read = account
    }
  }

  /** Decides one after the other: each on the state that the ones before it leave. */
  private decisions(group: readonly Waiting[], account: FollowedAccount, past: Past): Decided {
    let { state } = account.known
    const running = new Map<RunId, RunCredits>()
    const decided: Decided = { events: [], writing: [], quiet: [] }
    const { events, writing, quiet } = decided
    for (const each of group) {
      const { command, cause } = each
      const run = runOf(command)
      const paid = run && (running.get(run) ?? account.creditsOf(run, past))
      const decision = decideAccount(command, state, paid)
      if ('code' in decision) quiet.push([each, { refused: decision }])
      else if (decision.length === 0) quiet.push([each, { events: [], state, written: undefined }])
      else {
        // The time of an entry is that of the decision that is written, however often it was decided before.
        const envelopes = envelop(decision, { ...cause, now: this.deps.now() })
        for (const { event, meta } of envelopes) {
          state = accountFold.evolve(state, event, meta)
          if (run) running.set(run, evolveRunCredits(running.get(run) ?? paid, event as LedgerEntry['event']))
        }
        events.push(...envelopes)
        writing.push([each, { events: decision, state }])
      }
    }
    return decided
  }

  /** Sends the append, and waits for it. What writes nothing is right when it is, and is decided again when not. */
  private async write(account: FollowedAccount, after: number, decided: Decided): Promise<void> {
    const { events, writing, quiet } = decided
    const written: Promise<Appended> = append(this.deps.log, accountStream(this.id), after, events)
    for (const [{ outcome }, answer] of writing) outcome.resolve({ ...answer, written })
    try {
      await written
    } catch (error) {
      this.isStale = true
      const isRace = error instanceof WrongExpectedRevision
      // A stream that ends before what was known of it was set back.
      if (isRace && (error.actual ?? -1) < after) this.forget()
      if (isRace) this.waiting.unshift(...quiet.map(([each]) => each))
      else for (const [{ outcome }] of quiet) outcome.reject(error)
      return
    }
    for (const [i, { event, meta }] of events.entries())
      account.observe({ revision: after + 1 + i, event, meta })
    for (const [{ outcome }, answer] of quiet) outcome.resolve(answer)
  }
}

/** The runs of commands that may have something booked already. */
const runsOf = (group: readonly Waiting[]): ReadonlySet<RunId> =>
  new Set(group.flatMap(({ command, fresh }) => (fresh ? [] : (runOf(command) ?? []))))

const runOf = (command: AccountCommand): RunId | undefined =>
  command.type === 'charge' || command.type === 'refund' ? command.runId : undefined
