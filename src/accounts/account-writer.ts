/**
 * Decides the commands to one account one after the other, on the exact state of its stream. Commands that arrive
 * during an append are decided together on the resulting state, and share the next append.
 *
 * @module
 */
import { onceMore } from '../async/once-more.ts'
import {
  type AccountCommand,
  type AccountRefusal,
  type AccountState,
  accountDecider,
  evolveRunCredits,
  type RunCredits,
} from '../domain/account.ts'
import type { DomainEvent } from '../domain/events.ts'
import { type AccountId, accountStream, type RunId } from '../domain/ids.ts'
import { type Appended, type EventLog, type NewEvent, WrongExpectedRevision } from '../log/event-log.ts'
import { append, type Cause, envelop } from '../log/execute.ts'
import type { ReadModels } from '../read/read-models.ts'
import { FollowedAccount, isOfLedger, type Past } from './followed-account.ts'

/** The dependencies of an account's decisions. */
export type WriterDeps = {
  readonly log: EventLog
  readonly readModels: Pick<ReadModels, 'get' | 'list' | 'checkpoint'>
  /** called with each event that this process wrote, once it is durable; must not throw */
  readonly onWritten: (event: DomainEvent) => void
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** The answer to a command: refused, or accepted with its append (undefined when there was nothing to do). */
export type CommandAnswer = AccountRefusal | Accepted
type Accepted = {
  readonly refused?: undefined
  readonly events: readonly DomainEvent[]
  readonly state: AccountState
  /** resolves when the append is durable; a dependent append may take it as `after` */
  readonly written: Promise<Appended> | undefined
}

/** A command that waits for its decision. */
type Waiting = {
  readonly command: AccountCommand
  readonly cause: Omit<Cause, 'now'>
  /** the command's run cannot have any ledger entries yet */
  readonly fresh: boolean
  readonly reply: PromiseWithResolvers<CommandAnswer>
}

/** Commands decided together, with their answers: `writing` commands append events, `quiet` commands append none. */
type Decided = {
  readonly events: NewEvent[]
  readonly writing: [Waiting, Omit<Accepted, 'written'>][]
  readonly quiet: [Waiting, CommandAnswer][]
}

/** The most commands that share an append: a few hundred bytes each; event stores accept 1 MiB per append. */
const MOST_AT_ONCE = 500

export class AccountWriter {
  /** as followed by this process; replaced by {@link forget} */
  account: FollowedAccount
  /** an append failed: the stream must be read again */
  private isStale = false
  private waiting: Waiting[] = []

  constructor(
    private readonly id: AccountId,
    private readonly deps: WriterDeps,
  ) {
    this.account = this.followed()
  }

  /** The account as last seen, without reading the log; undefined when a newer state must exist. */
  get seen(): AccountState | undefined {
    return this.mustRead ? undefined : this.account.known.state
  }

  /** Queues a command for its decision; see `Accounts.submit`. */
  submit(submission: Omit<Waiting, 'reply'>): Promise<CommandAnswer> {
    const reply = Promise.withResolvers<CommandAnswer>()
    this.waiting.push({ ...submission, reply })
    this.work()
    return reply.promise
  }

  /** The state of the stream at one moment between the call and its return. */
  async state(): Promise<AccountState> {
    const { account } = this
    await account.refresh()
    return account.known.state
  }

  /** A run's charges and refunds, at one moment between the call and its return. */
  async credits(run: RunId): Promise<RunCredits | undefined> {
    const { account } = this
    await account.refresh()
    for (;;) {
      const past = await account.past(new Set([run]))
      if (account.counts(past)) return account.creditsOf(run, past)
    }
  }

  /** Discards everything read so far. */
  forget(): void {
    // Work in progress keeps the old account, and starts over before it decides.
    this.account = this.followed()
  }

  private followed(): FollowedAccount {
    return new FollowedAccount(this.id, this.deps.log, this.deps.readModels)
  }

  private get mustRead(): boolean {
    return this.isStale || this.account.isBehind
  }

  private readonly work = onceMore(async () => {
    // Commands submitted in the same tick are decided together.
    await Promise.resolve()
    while (this.waiting.length > 0) {
      const group = this.nextGroup()
      try {
        await this.decide(group)
      } catch (error) {
        for (const { reply } of group) reply.reject(error)
      }
    }
  })

  /** Small commands are grouped. `open` and `entitle` are rare, may have large events, and are decided alone. */
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
      // Nothing awaits between here and the append: the append follows exactly the state that was decided on.
      const { revision } = account.known
      const decided = this.decisions(group, account, past)
      if (decided.events.length > 0) return this.write(account, revision, decided)
      if (read === account) {
        for (const [{ reply }, answer] of decided.quiet) reply.resolve(answer)
        return
      }
      // These commands write nothing, so no conflict would show that the state is old. Read it once more.
      await account.refresh()
      read = account
    }
  }

  /** Decides commands one after the other, each on the state left by the ones before it. */
  private decisions(group: readonly Waiting[], account: FollowedAccount, past: Past): Decided {
    let { state } = account.known
    const running = new Map<RunId, RunCredits>()
    const decided: Decided = { events: [], writing: [], quiet: [] }
    const { events, writing, quiet } = decided
    for (const each of group) {
      const { command, cause } = each
      const run = runOf(command)
      const paid = run && (running.get(run) ?? account.creditsOf(run, past))
      const decision = accountDecider.decide(isOfRun(command) ? { ...command, paid } : command, state)
      if ('refused' in decision) quiet.push([each, decision])
      else if (decision.length === 0) quiet.push([each, { events: [], state, written: undefined }])
      else {
        // An entry gets the time of the decision that is written, even if the command was decided before.
        const envelopes = envelop(decision, { ...cause, now: this.deps.now() })
        for (const { event, meta } of envelopes) {
          state = accountDecider.evolve(state, event, meta)
          if (run && isOfLedger(event))
            running.set(run, evolveRunCredits(running.get(run) ?? paid, event, meta.actor))
        }
        events.push(...envelopes)
        writing.push([each, { events: decision, state }])
      }
    }
    return decided
  }

  /** Sends the append and waits for it. Then answers the quiet commands, or requeues them after a lost race. */
  private async write(account: FollowedAccount, after: number, decided: Decided): Promise<void> {
    const { events, writing, quiet } = decided
    const written: Promise<Appended> = append(this.deps.log, accountStream(this.id), after, events)
    for (const [{ reply }, answer] of writing) reply.resolve({ ...answer, written })
    try {
      await written
    } catch (error) {
      this.isStale = true
      const isRace = error instanceof WrongExpectedRevision
      // A stream that ends before its known revision was set back.
      if (isRace && (error.actual ?? -1) < after) this.forget()
      if (isRace) this.waiting.unshift(...quiet.map(([each]) => each))
      else for (const [{ reply }] of quiet) reply.reject(error)
      return
    }
    for (const [i, { event, meta }] of events.entries()) {
      account.observe({ revision: after + 1 + i, event, meta })
      this.deps.onWritten(event)
    }
    for (const [{ reply }, answer] of quiet) reply.resolve(answer)
  }
}

/** The runs of the commands that may already have ledger entries. */
const runsOf = (group: readonly Waiting[]): ReadonlySet<RunId> =>
  new Set(group.flatMap(({ command, fresh }) => (fresh ? [] : (runOf(command) ?? []))))

const runOf = (command: AccountCommand): RunId | undefined => (isOfRun(command) ? command.runId : undefined)

const isOfRun = (command: AccountCommand) => command.type === 'charge' || command.type === 'refund'
