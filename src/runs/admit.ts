/**
 * Admission of a run: its price is charged and its input stored, then the run is requested. The reconciler
 * (reconcile.ts) closes admissions that a crash cut off between these steps.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Accounts } from '../accounts/accounts.ts'
import type { Artifacts } from '../artifacts/artifacts.ts'
import { KeyedMutex } from '../async/keyed-mutex.ts'
import type { KickoffRefusal } from '../domain/account.ts'
import type { Actor, EventData } from '../domain/events.ts'
import { type AccountId, derivedRunId, type KeyId, newRunId, type RunId, runStream } from '../domain/ids.ts'
import { type AdmittedRun, isAdmitted, requestedRun } from '../domain/run.ts'
import { type EventLog, StoreUnavailable, WrongExpectedRevision } from '../log/event-log.ts'
import { afterConflict, append, envelop } from '../log/execute.ts'
import { randomBytes } from '../random.ts'
import { encodeInput } from './input.ts'
import type { Runs } from './runs.ts'
import type { Titles } from './titles.ts'

/** A valid call of a task endpoint. */
export type RunRequest = {
  readonly accountId: AccountId
  /** null when a person requests the run */
  readonly keyId: KeyId | null
  readonly actor: Actor
  readonly taskKey: string
  /** credits */
  readonly price: number
  /** the valid input as canonical JSON: as sent, keys sorted, without `_run` */
  readonly input: string
  /** the title of a new run; a repeat may have another one, which is ignored */
  readonly title: string | null
  readonly runLimitS: number
  readonly failedOnly: boolean
  readonly idempotencyKey: string | undefined
  readonly requestId: string
}

export type Admission =
  | { readonly kind: 'admitted'; readonly run: AdmittedRun; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly refusal: KickoffRefusal }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'in-progress' }

export type AdmitDeps = {
  readonly log: EventLog
  readonly accounts: Accounts
  readonly artifacts: { readonly put: Artifacts['put'] }
  readonly runs: { readonly load: Runs['load'] }
  readonly titles: { readonly remember: Titles['remember'] }
  /** milliseconds since 1970 */
  readonly now: () => number
}

export type AdmitSettings = { readonly queueLimitS: number; readonly resultRetentionDays: number }

const ATTEMPTS = 20

export class Admit {
  private readonly mutex = new KeyedMutex()

  constructor(
    private readonly deps: AdmitDeps,
    private readonly settings: AdmitSettings,
  ) {}

  /**
   * Executes the work of a kickoff request. In this process, requests with the same Idempotency-Key run one at a time:
   * later requests find the run of the first one. If they charged the account concurrently, they would be refused as
   * too many writers.
   */
  inTurn<T>(accountId: AccountId, idempotencyKey: string | undefined, work: () => Promise<T>): Promise<T> {
    return idempotencyKey === undefined ? work() : this.mutex.run(`${accountId} ${idempotencyKey}`, work)
  }

  /**
   * Charges and requests a run. Once it resolves as admitted, the run survives the death of any process.
   *
   * @throws {StoreUnavailable} when the outcome is unknown, or after 20 lost races. Repeating the request with its
   *   Idempotency-Key yields at most one run and one charge
   */
  async admit(request: RunRequest): Promise<Admission> {
    const fingerprint = fingerprintOf(request)
    for (let attempt = 1; ; attempt++) {
      const { runId, run } = await this.locate(request)
      if (run) return replay(run, fingerprint)
      try {
        const admission = await this.attempt(request, runId, fingerprint)
        if (admission) return admission
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error
      }
      if (attempt === ATTEMPTS) throw new StoreUnavailable('too many writers at once')
      await afterConflict(attempt)
    }
  }

  /** The earlier admission under a request's Idempotency-Key; undefined when the key is unused or missing. */
  async replayed(request: RunRequest): Promise<Admission | undefined> {
    if (request.idempotencyKey === undefined) return undefined
    const { run } = await this.locate(request)
    return run && replay(run, fingerprintOf(request))
  }

  /** The run admitted under an account's Idempotency-Key; undefined when the key is unused. */
  async find(accountId: AccountId, idempotencyKey: string): Promise<AdmittedRun | undefined> {
    return (await this.locate({ accountId, idempotencyKey })).run
  }

  /** The id of a request's run, and the run itself if it was admitted before. */
  private async locate({
    idempotencyKey,
    accountId,
  }: Pick<RunRequest, 'accountId' | 'idempotencyKey'>): Promise<{ runId: RunId; run?: AdmittedRun }> {
    if (idempotencyKey === undefined) return { runId: newRunId(this.deps.now(), randomBytes(10)) }
    // A closed stream cannot hold a run, so the next id is derived from the number of closed streams.
    for (let closed = 0; ; closed++) {
      const runId = derivedRunId(hash('sha256', `${accountId}\n${closed}\n${idempotencyKey}`, 'buffer'))
      const { state } = await this.deps.runs.load(runId)
      if (isAdmitted(state)) return { runId, run: state }
      if (state.status !== 'closed') return { runId }
    }
  }

  /** One attempt; undefined when the same run was admitted or closed concurrently. */
  private async attempt(
    request: RunRequest,
    runId: RunId,
    fingerprint: string,
  ): Promise<Admission | undefined> {
    const { log, accounts, artifacts, runs, titles } = this.deps
    const { accountId, actor, taskKey, price, requestId, title, input } = request
    const now = this.deps.now()
    const cause = { accountId, actor, correlationId: requestId, causationId: requestId, now }
    const fresh = request.idempotencyKey === undefined
    const entry = await accounts.submit({ type: 'charge', accountId, runId, taskKey, amount: price }, cause, {
      fresh,
    })
    if (entry.refused) return { kind: 'refused', refusal: entry as KickoffRefusal }
    if (entry.events.length === 0 && price > 0) {
      // Already charged by a request that is in progress or was cut off. It may have been a different request.
      const credits = await accounts.credits(accountId, runId)
      if (credits?.charged !== price || credits.refunded > 0 || credits.reason !== taskKey) {
        return (await runs.load(runId)).state.status === 'none' ? { kind: 'in-progress' } : undefined
      }
    }
    const stored = artifacts.put(runId, 'input', encodeInput({ title, input }), this.expiry(now, request))
    titles.remember(stored.ref, title)
    const data: EventData<'RunRequested'> = {
      run_id: runId,
      account_id: accountId,
      key_id: request.keyId,
      task_key: taskKey,
      price,
      input_ref: stored.ref,
      fingerprint,
      queue_until: new Date(now + this.settings.queueLimitS * 1000).toISOString(),
      run_limit_s: request.runLimitS,
      ...(request.failedOnly ? { failed_only: true } : {}),
    }
    const requested = envelop([{ type: 'RunRequested', data }], cause)
    // Another process may be requesting a run with the same derived id. The winner is known only after the append.
    await append(log, runStream(runId), -1, requested, { after: [stored.done, entry.written] })
    return { kind: 'admitted', run: requestedRun(data, requested[0]!.meta), replayed: false }
  }

  /** Inputs are kept as long as results. The run's end is not known yet, so the latest possible end counts. */
  private expiry(now: number, request: RunRequest): number {
    const { queueLimitS, resultRetentionDays } = this.settings
    return now + (queueLimitS + request.runLimitS) * 1000 + resultRetentionDays * 86_400_000
  }
}

const fingerprintOf = ({ taskKey, input }: RunRequest): string => hash('sha256', `${taskKey}\n${input}`)

function replay(run: AdmittedRun, fingerprint: string): Admission {
  return run.fingerprint === fingerprint ? { kind: 'admitted', run, replayed: true } : { kind: 'key-reused' }
}
