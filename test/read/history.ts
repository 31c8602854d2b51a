/**
 * Fills logs with accounts, keys and runs of every outcome.
 *
 * @module
 */
import { DatabaseSync } from 'node:sqlite'
import type { DomainEvent } from '../../src/domain/events.ts'
import {
  type AccountId,
  accountStream,
  derivedAccountId,
  derivedKeyId,
  derivedRunId,
  keyStream,
  loginStream,
  type RunId,
  runStream,
  type StreamName,
} from '../../src/domain/ids.ts'
import type { RunFill } from '../../src/domain/run-events.ts'
import type { EventLog } from '../../src/log/event-log.ts'
import { append, type Cause, envelop } from '../../src/log/execute.ts'

const bytes = (n: number): Uint8Array => new Uint8Array(16).fill(n & 255).fill(n >> 8, 0, 4)
const START = Date.parse('2026-01-01T00:00:00Z')
const SHA = 'a'.repeat(64)

export const accountId = (n: number): AccountId => derivedAccountId(bytes(n))
export const runId = (n: number): RunId => derivedRunId(bytes(n))
export const keyId = derivedKeyId(bytes(1))

/** A writer of a log that tracks the revisions of its streams. */
export class History {
  private readonly revisions = new Map<StreamName, number>()
  private readonly balances = new Map<number, number>()
  private clock = START
  private runs = 0

  constructor(private readonly log: EventLog) {}

  /** The time of the last event, milliseconds since 1970. */
  get now(): number {
    return this.clock
  }

  /** Appends to one stream, one second after the previous event. */
  async write(stream: StreamName, account: AccountId, ...events: DomainEvent[]): Promise<void> {
    this.clock += 1000
    const cause: Cause = { accountId: account, correlationId: 'req_1', causationId: 'req_1', now: this.clock }
    const revision = this.revisions.get(stream) ?? -1
    this.revisions.set(stream, revision + events.length)
    await append(this.log, stream, revision, envelop(events, cause))
  }

  /** One grant: one event on an account's stream. */
  grant(n = 1): Promise<void> {
    const account_id = accountId(n)
    return this.write(accountStream(account_id), account_id, {
      type: 'CreditsGranted',
      data: { account_id, amount: 1, balance_after: this.book(n, 1) },
    })
  }

  /** An event that no projection handles. */
  login(): Promise<void> {
    const account_id = accountId(1)
    const data = { account_id, source: 'forum', reason: 'call' }
    return this.write(loginStream(account_id, 'forum'), account_id, { type: 'LoginRequested', data })
  }

  async open(n: number): Promise<void> {
    const account_id = accountId(n)
    await this.write(
      accountStream(account_id),
      account_id,
      {
        type: 'AccountOpened',
        data: { account_id, name: `team ${n}`, operation: { id: `${n}`, fingerprint: SHA } },
      },
      { type: 'CreditsGranted', data: { account_id, amount: 1000, balance_after: this.book(n, 1000) } },
    )
    const key_id = derivedKeyId(bytes(n))
    await this.write(keyStream(key_id), account_id, {
      type: 'KeyCreated',
      data: {
        key_id,
        account_id,
        hash: SHA,
        prefix: 'gln_abcd',
        name: null,
        scopes: ['runs'],
        expires_at: null,
      },
    })
    if (n % 2 === 0) {
      await this.write(keyStream(key_id), account_id, { type: 'KeyRevoked', data: { key_id, account_id } })
      await this.write(accountStream(account_id), account_id, {
        type: 'EntitlementsSet',
        data: {
          account_id,
          tasks: ['forum.*'],
          limits: { read_per_minute: 5 },
          suspended: false,
          balance_after: 0,
        },
      })
    }
  }

  /** All events of a run of account `n`; the outcome cycles through seven kinds. */
  async run(n: number): Promise<RunId> {
    const i = this.runs++
    const run_id = runId(i)
    const account_id = accountId(n)
    const run = (...events: DomainEvent[]) => this.write(runStream(run_id), account_id, ...events)
    const task_key = 'forum.search'
    const code = (refunded: number) => (refunded ? 'defect' : null)
    const end = (refunded: number) => ({ run_id, task_key, code: code(refunded), charged: 4, refunded })
    await this.charge(n, run_id)
    if (i % 7 === 6) {
      await run({ type: 'RunNotAdmitted', data: { run_id, account_id } })
      await this.refund(n, run_id)
      return run_id
    }
    await run(this.requested(run_id, account_id))
    if (i % 7 === 5) {
      await run(
        { type: 'RunCancelRequested', data: { run_id, key_id: keyId } },
        { type: 'RunCancelled', data: end(4) },
      )
      await this.refund(n, run_id)
      return run_id
    }
    await run(this.started(run_id, 1))
    if (i % 7 === 4) {
      await run({ type: 'RunRequeued', data: { run_id, attempt: 1, reason: 'worker-lost' } })
      await run(this.started(run_id, 2))
    }
    if (i % 7 === 3) return run_id
    await run({
      type: 'RunProgressed',
      data: { run_id, attempt: 1, done: 1, total: null, message: 'page 1', lease_until: this.after(30) },
    })
    if (i % 7 === 2) {
      await run({ type: 'RunFailed', data: end(4) })
      await this.refund(n, run_id)
      return run_id
    }
    await run(
      {
        type: 'ResultStored',
        data: { run_id, ref: `${run_id}/result`, bytes: 9, sha256: SHA, item_count: 1, partial: false },
      },
      { type: 'RunSucceeded', data: { ...end(0), ms: i * 7, fill: filledBy(i) } },
    )
    return run_id
  }

  charge(n: number, run_id: RunId, block?: number): Promise<void> {
    const account_id = accountId(n)
    const data = { account_id, amount: 4, balance_after: this.book(n, -4), run_id, reason: 'forum.search' }
    return this.write(accountStream(account_id), account_id, {
      type: 'CreditsCharged',
      data: block === undefined ? data : { ...data, block },
    })
  }

  refund(n: number, run_id: RunId): Promise<void> {
    const account_id = accountId(n)
    return this.write(accountStream(account_id), account_id, {
      type: 'CreditsRefunded',
      data: {
        ...{ account_id, amount: 4, balance_after: this.book(n, 4), run_id, reason: 'failed' },
        ...{ task_key: 'forum.search', started_by: `key:${keyId}` },
      },
    })
  }

  requested(run_id: RunId, account_id: AccountId): DomainEvent {
    return {
      type: 'RunRequested',
      data: {
        run_id,
        account_id,
        key_id: keyId,
        task_key: 'forum.search',
        price: 4,
        input_ref: `${run_id}/input`,
        fingerprint: SHA,
        queue_until: this.after(900),
        run_limit_s: 300,
      },
    }
  }

  started(run_id: RunId, attempt: number): DomainEvent {
    const data = { run_id, attempt, lease_until: this.after(30), run_until: this.after(300) }
    return { type: 'RunStarted', data }
  }

  /** The given number of seconds after the next event, in RFC 3339. */
  after(seconds: number): string {
    return new Date(this.clock + 1000 + seconds * 1000).toISOString()
  }

  private book(n: number, amount: number): number {
    const balance = (this.balances.get(n) ?? 0) + amount
    this.balances.set(n, balance)
    return balance
  }
}

/** The fill of a run: some inputs repeat, and some have no items. */
const filledBy = (i: number): RunFill => {
  const items = i % 11 === 0 ? 0 : (i % 9) + 1
  const shares = items === 0 ? [] : [1000, (i * 137) % 1001, i % 4 === 0 ? null : 250]
  return { schema: '5be1c0a7', input: `0000000${i % 5}`, items, shares }
}

/** Every row and position of a read model file as text. */
export function dump(path: string): string {
  const db = new DatabaseSync(path)
  const lines: string[] = []
  const generations = db
    .prepare(
      'SELECT generation, name, version, is_next, log_id, position FROM generations ORDER BY name, version',
    )
    .all() as { generation: number; name: string }[]
  for (const { generation, ...model } of generations) {
    lines.push(JSON.stringify(model))
    for (const row of db.prepare(`SELECT * FROM ${model.name}_${generation} ORDER BY key`).all())
      lines.push(JSON.stringify(row))
  }
  db.close()
  return lines.join('\n')
}
