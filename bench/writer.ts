/**
 * Writes logs for the benchmarks: runs like those of the service, only faster.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { DomainEvent } from '../src/domain/events.ts'
import {
  type AccountId,
  accountStream,
  type KeyId,
  newAccountId,
  newRunId,
  type RunId,
  runStream,
} from '../src/domain/ids.ts'
import type { EventLog } from '../src/log/event-log.ts'
import { append, type Cause, envelop } from '../src/log/execute.ts'

const ACCOUNTS = 20
export const EVENTS_A_RUN = 5
const KEY = 'key_00000000000000000000000000' as KeyId
/** Runs written concurrently. */
export const GROUP = 100
/** Writes runs of five events (charge, request, start, result, end) like the service, and keeps their ids. */
export class Writer {
  readonly runIds: RunId[] = []
  private readonly accounts: { id: AccountId; revision: number; balance: number }[] = []
  private clock = Date.parse('2026-01-01T00:00:00Z')

  constructor(private readonly log: EventLog) {}

  async open(): Promise<void> {
    for (let i = 0; i < ACCOUNTS; i++) {
      const id = newAccountId(this.clock, randomBytes(10))
      const events: DomainEvent[] = [
        { type: 'AccountOpened', data: { account_id: id, name: `team ${i}` } },
        { type: 'CreditsGranted', data: { account_id: id, amount: 1e9, balance_after: 1e9 } },
      ]
      await append(this.log, accountStream(id), -1, envelop(events, this.cause(id)))
      this.accounts.push({ id, revision: 1, balance: 1e9 })
    }
  }

  async runsOf(count: number): Promise<void> {
    for (let done = 0; done < count; done += GROUP) {
      const group = Array.from({ length: Math.min(GROUP, count - done) }, (_, i) => this.run(done + i))
      await Promise.all(group.flat())
    }
  }

  private run(i: number): Promise<unknown>[] {
    this.clock += 5
    const account = this.accounts[(i * 7919) % ACCOUNTS]!
    const run_id = newRunId(this.clock, randomBytes(10))
    const { id: account_id } = account
    this.runIds.push(run_id)
    account.balance--
    const charged: DomainEvent = {
      type: 'CreditsCharged',
      data: { account_id, amount: 1, balance_after: account.balance, run_id, reason: 'encyclopedia.search' },
    }
    const cause = this.cause(account_id)
    const charge = append(this.log, accountStream(account_id), account.revision++, envelop([charged], cause))
    const request = append(
      this.log,
      runStream(run_id),
      -1,
      envelop([this.requested(run_id, account_id)], cause),
    )
    const start = append(this.log, runStream(run_id), 0, envelop([this.started(run_id)], cause))
    const end = append(this.log, runStream(run_id), 1, envelop(this.ended(run_id), cause))
    return [charge, request, start, end]
  }

  private requested(run_id: RunId, account_id: AccountId): DomainEvent {
    return {
      type: 'RunRequested',
      data: {
        run_id,
        account_id,
        key_id: KEY,
        task_key: 'encyclopedia.search',
        price: 1,
        input_ref: `${run_id}/input`,
        fingerprint: randomBytes(32).toString('hex'),
        queue_until: this.after(900),
        run_limit_s: 300,
      },
    }
  }

  private started(run_id: RunId): DomainEvent {
    const data = { run_id, attempt: 1, lease_until: this.after(30), run_until: this.after(300) }
    return { type: 'RunStarted', data }
  }

  private ended(run_id: RunId): DomainEvent[] {
    const sha256 = randomBytes(32).toString('hex')
    const ref = `${run_id}/result`
    return [
      { type: 'ResultStored', data: { run_id, ref, bytes: 2048, sha256, item_count: 10, partial: false } },
      {
        type: 'RunSucceeded',
        data: { run_id, task_key: 'forum.search', code: null, charged: 1, refunded: 0 },
      },
    ]
  }

  private after(seconds: number): string {
    return new Date(this.clock + seconds * 1000).toISOString()
  }

  private cause(accountId: AccountId): Cause {
    const request = `req_${randomBytes(12).toString('hex')}`
    return { accountId, correlationId: request, causationId: request, now: this.clock }
  }
}
