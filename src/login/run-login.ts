/**
 * The login that a run uses. It is looked up when the run starts, may be rejected by the run's end, and is saved with
 * the run's changes.
 *
 * @module
 */

import type { KeyedMutex } from '../async/keyed-mutex.ts'
import { MOST_STATE_CHARS } from '../browser/page/state.ts'
import { changesBetween, cookiesIn, type StateChange, withChanges } from '../browser/page/state-changes.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { LOGIN_ADVICE } from '../domain/codes.ts'
import type { LeasedRun, RunEnd } from '../domain/run.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import { unlessAway } from '../log/away.ts'
import type { Cause } from '../log/execute.ts'
import type { Logger } from '../logger.ts'
import type { SavedCookie } from '../net/cookies.ts'
import type { Source } from '../plugin.ts'
import { signedInUntil } from '../signin/browser/success.ts'
import { VaultDamaged } from '../vault/sealing.ts'
import type { Vault } from '../vault/vault.ts'
import { type Logins, timeOf } from './logins.ts'

export type RunLoginDeps = {
  readonly logins: Pick<Logins, 'usable' | 'extend' | 'reject'>
  readonly ephemeral: Pick<EphemeralStore, 'used' | 'lastUsed'>
  readonly vault: Pick<Vault, 'load' | 'replace' | 'remove'>
  /** orders the writes of one login in this process */
  readonly saving: KeyedMutex
  readonly logger: Logger
  /** called when a run's changes could not be saved */
  readonly onLoginNotSaved?: (() => void) | undefined
  readonly now: () => number
}

/** The part of a login that is passed to a signed-in run. */
export type JobLogin = {
  readonly cookies: readonly SavedCookie[]
  /** whether to check first that the source still accepts the login */
  readonly check: boolean
}

/** How long a login that was seen to work is not checked again, in milliseconds. */
const PROVED_MS = 10 * 60_000
const LOST = 'source-login-required'

export class RunLogin {
  private login: { readonly ref: string; readonly state: string; readonly check: boolean } | undefined
  private changes: readonly StateChange[] = []
  /** the signed-in states that the run has had, as a browser saves them */
  readonly states: string[] = []

  constructor(
    private readonly deps: RunLoginDeps,
    private readonly run: LeasedRun,
    private readonly task: CatalogueTask | undefined,
    private readonly causationId: string,
  ) {}

  /**
   * Looks up the account's login, if the task uses one.
   *
   * @returns false if the task requires a login and there is none
   * @throws {StoreUnavailable}
   */
  async find(): Promise<boolean> {
    const { declaration: task, source } = this.task ?? {}
    const needs = task?.needs?.login
    if (!source || needs === undefined) return true
    const { logins } = this.deps
    const { accountId } = this.run
    for (;;) {
      const ready = await logins.usable(accountId, source.name)
      if (!ready) return needs === 'optional'
      const { ref } = ready
      const state = await this.load(source.name, ref)
      if (state !== undefined) {
        const check = source.login?.check !== undefined && !(await this.isProved(source.name, ready.since))
        this.login = { ref, state, check }
        this.states.push(state)
        return true
      }
      // After that there is no login, unless somebody has just signed in again.
      await this.reject(ref, 'check-failed')
    }
  }

  /** The part of the login that is passed to the run's process. Undefined if the run has no login. */
  get job(): JobLogin | undefined {
    if (!this.login) return undefined
    return { cookies: cookiesIn(this.login.state), check: this.login.check }
  }

  /** The complete signed-in state, as a browser saves it. */
  get state(): string | undefined {
    return this.login?.state
  }

  /** Records changes that one execution of the run made to the state. The next execution starts with them. */
  learn(changes: readonly StateChange[]): void {
    if (!this.login || changes.length === 0) return
    this.changes = [...this.changes, ...changes]
    const state = withChanges(this.login.state, changes)
    this.login = { ...this.login, state }
    this.states.push(state)
  }

  /**
   * Saves the run's changes to its state, if that is still the login's state: sites replace cookies over time. A state
   * that the source has refused is not saved. Never throws: a failure here does not fail a run that has its items.
   */
  async keep(end: RunEnd | undefined): Promise<void> {
    const { login, task, deps } = this
    if (!login || !task || this.changes.length === 0 || isRefusal(end)) return
    const { runId: run_id } = this.run
    try {
      // Runs of one login that end together must not overwrite each other's changes.
      const save = () => this.save(task.source, login.ref)
      const why = await deps.saving.run(`${this.run.accountId} ${task.source.name}`, save)
      if (why) deps.logger.info({ run_id, why }, 'The changes of a run to its login were discarded.')
    } catch (error) {
      deps.onLoginNotSaved?.()
      deps.logger.warn(
        { err: error, run_id },
        'The changes of a run to its login could not be saved. The login is unchanged.',
      )
    }
  }

  /**
   * Merges the run's changes into the state that is now in the vault: other runs of the account may have changed other
   * parts of it. When workers of two processes save at the same moment, the last write wins.
   *
   * @returns why the state was not saved: the cookies that prove a sign-in are missing, or the state is too large
   */
  private async save(source: Source, ref: string): Promise<'signed-out' | 'too-large' | undefined> {
    const { vault, logins, now } = this.deps
    const { accountId: account } = this.run
    const current = await vault.load(account, source.name, ref)
    // The login has a different state by now, or none.
    if (current === undefined) return undefined
    const state = withChanges(current, this.changes)
    if (changesBetween(current, state, now()).length === 0) return undefined
    if (state.length > MOST_STATE_CHARS) return 'too-large'
    const { login, origin } = source
    const validUntil = login && signedInUntil(login, origin, cookiesIn(state), now())
    if (validUntil === undefined) return 'signed-out'
    await vault.replace(account, source.name, ref, state)
    // Checked after the write: a deletion of the login from here on finds the state and destroys it.
    if (!(await logins.extend(account, source.name, { ref, validUntil }, this.cause())))
      await vault.remove(account, source.name, ref)
    return undefined
  }

  /** The end of a run whose task requires a login when there is none. */
  missing(): RunEnd {
    return { status: 'failed', code: LOST, detail: this.again }
  }

  /**
   * Judges the login by the run's end, before the end is written: a state that the source refused is rejected.
   *
   * @returns the end, with advice for the client
   * @throws {StoreUnavailable}
   */
  async judge(end: RunEnd): Promise<RunEnd> {
    const { login } = this
    const { declaration: task, source } = this.task ?? {}
    if (!source) return end
    if (!login) return task?.needs?.login === 'optional' ? withAdvice(end, firstLogin(source.name)) : end
    if (isRefusal(end)) {
      await this.reject(login.ref, 'refused')
      return withAdvice(end, this.again)
    }
    this.note(source.name, 'used')
    if (end.status === 'succeeded') this.note(source.name, 'checked')
    return end
  }

  /** Whether the login was recently seen to work. @param since when somebody signed in */
  private async isProved(source: string, since: number): Promise<boolean> {
    const { ephemeral, now } = this.deps
    // Times of use may be lost, so a run does not depend on their store: the login is then checked again.
    const times = ephemeral.lastUsed([timeOf(this.run.accountId, source, 'checked')])
    const [checkedAt = 0] = (await unlessAway(times)) ?? []
    return now() - Math.max(checkedAt, since) < PROVED_MS
  }

  private note(source: string, what: 'used' | 'checked'): void {
    this.deps.ephemeral.used(timeOf(this.run.accountId, source, what), this.deps.now())
  }

  /** Advice for the client when the login is no longer usable. */
  private get again(): string {
    const { declaration: task, source } = this.task ?? {}
    return task?.needs?.login === 'optional'
      ? `${LOGIN_ADVICE.again}it runs without a login, or with a new one after POST /v1/logins/${source?.name}.`
      : `${LOGIN_ADVICE.again}its answer says where to sign in.`
  }

  private async reject(ref: string, reason: 'refused' | 'check-failed'): Promise<void> {
    const { accountId, runId } = this.run
    const rejected = { ref, reason, runId }
    await this.deps.logins.reject(accountId, this.task?.source.name ?? '', rejected, this.cause())
  }

  private cause(): Omit<Cause, 'accountId'> {
    const { correlationId } = this.run
    return { correlationId, causationId: this.causationId, now: this.deps.now() }
  }

  /** Loads a saved state. Undefined if it can no longer be decrypted, in which case somebody has to sign in again. */
  private async load(source: string, ref: string): Promise<string | undefined> {
    const { vault, logger } = this.deps
    try {
      return await vault.load(this.run.accountId, source, ref)
    } catch (error) {
      if (!(error instanceof VaultDamaged)) throw error
      logger.error(
        { err: error, run_id: this.run.runId },
        'A saved login is damaged: somebody has to sign in again.',
      )
      return undefined
    }
  }
}

/** Advice for a task with an optional login that got nothing without one. */
const firstLogin = (source: string): string =>
  `${LOGIN_ADVICE.first}${source}), then send the request again, with a new Idempotency-Key or none.`

/** Adds advice for the client to a refusal. Any other end is returned unchanged. */
const withAdvice = (end: RunEnd, advice: string): RunEnd =>
  isRefusal(end) ? { ...end, detail: [end.detail, advice].filter(Boolean).join('. ') } : end

const isRefusal = (end: RunEnd | undefined): boolean => end?.status === 'failed' && end.code === LOST
