/**
 * The login that a run uses: found when it starts, judged by how it ends, and kept as the run left it.
 *
 * @module
 */
import { MOST_STATE_CHARS } from '../browser/page/state.ts'
import { changesBetween, cookiesIn, type StateChange, withChanges } from '../browser/page/state-changes.ts'
import { markersOf, signedInUntil } from '../browser/signin/success.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { LeasedRun } from '../domain/run.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import { StoreUnavailable } from '../log/event-log.ts'
import type { Cause } from '../log/execute.ts'
import type { Logger } from '../logger.ts'
import type { SavedCookie } from '../net/cookies.ts'
import type { Source } from '../plugin.ts'
import { VaultDamaged } from '../vault/sealing.ts'
import type { Vault } from '../vault/vault.ts'
import { type Logins, timeOf } from './logins.ts'

export type RunLoginDeps = {
  readonly logins: Pick<Logins, 'usable' | 'extend' | 'reject'>
  readonly ephemeral: Pick<EphemeralStore, 'used' | 'lastUsed'>
  readonly vault: Pick<Vault, 'load' | 'replace' | 'remove'>
  readonly logger: Logger
  /** told when what a run left could not be saved */
  readonly onLoginNotSaved?: (() => void) | undefined
  readonly now: () => number
}

/** What a run that is signed in is given of its login. */
export type JobLogin = {
  readonly cookies: readonly SavedCookie[]
  /** whether it is to be asked first if the source still accepts it */
  readonly check: boolean
}

/** What became of a run, as far as its login is concerned. */
type Conclusion = { readonly status: string; readonly code?: string | null; readonly detail?: string }

/** How long a login that has proved itself is not asked again, in milliseconds. */
const PROVED_MS = 10 * 60_000
const LOST = 'source-login-required'
const AGAIN = 'Send the request again, with a new Idempotency-Key or none: '

export class RunLogin {
  private found: { readonly ref: string; readonly state: string; readonly check: boolean } | undefined
  private changes: readonly StateChange[] = []

  constructor(
    private readonly deps: RunLoginDeps,
    private readonly run: LeasedRun,
    private readonly task: CatalogueTask | undefined,
    private readonly causationId: string,
  ) {}

  /**
   * Looks for the account's login, where the task uses one.
   *
   * @returns false when it can't do without, and there is none
   * @throws {StoreUnavailable}
   */
  async find(): Promise<boolean> {
    const { task, source } = this.task ?? {}
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
        this.found = { ref, state, check }
        return true
      }
      // Unless somebody has just signed in anew, then there is none any more.
      await this.reject(ref, 'check-failed')
    }
  }

  /** What the run's process is given of it; undefined: the run has none. */
  get job(): JobLogin | undefined {
    if (!this.found) return undefined
    return { cookies: cookiesIn(this.found.state), check: this.found.check }
  }

  /** The whole signed-in state, as a browser saves it. */
  get state(): string | undefined {
    return this.found?.state
  }

  /** An execution of the run has changed something in its state: another one begins with that. */
  learn(changes: readonly StateChange[]): void {
    if (!this.found || changes.length === 0) return
    this.changes = [...this.changes, ...changes]
    this.found = { ...this.found, state: withChanges(this.found.state, changes) }
  }

  /**
   * Saves what the run changed in its state, where that is still the login's: sites give out new cookies for old ones.
   * One that the source has refused is not saved. Never throws: a run that has brought its items has succeeded.
   */
  async keep(conclusion: Conclusion | undefined): Promise<void> {
    const { found, task, deps } = this
    if (!found || !task || this.changes.length === 0 || isRefusal(conclusion)) return
    const { runId: run_id } = this.run
    try {
      const why = await this.save(task.source, found.ref)
      if (why) deps.logger.info({ run_id, why }, 'What a run changed in its login is not kept.')
    } catch (error) {
      deps.onLoginNotSaved?.()
      deps.logger.warn(
        { err: error, run_id },
        'What a run changed in its login could not be saved. The login stays as it was.',
      )
    }
  }

  /**
   * Brings the run's changes into the state that the vault has by now: other runs of the account may have changed
   * something else in it. Of two that save in the same moment the last one wins.
   *
   * @returns why it may not be kept: without the cookies by which a person is known to be signed in, or too long
   */
  private async save(source: Source, ref: string): Promise<'signed-out' | 'too-large' | undefined> {
    const { vault, logins, now } = this.deps
    const { accountId: account } = this.run
    const current = await vault.load(account, source.name, ref)
    // The login has another state by now, or none.
    if (current === undefined) return undefined
    const state = withChanges(current, this.changes)
    if (changesBetween(current, state, now()).length === 0) return undefined
    if (state.length > MOST_STATE_CHARS) return 'too-large'
    const { login, origin } = source
    const validUntil = login && signedInUntil(markersOf(login, origin), cookiesIn(state), now())
    if (validUntil === undefined) return 'signed-out'
    await vault.replace(account, source.name, ref, state)
    // Asked after the write: whoever ends the login from here on finds what to destroy.
    if (!(await logins.extend(account, source.name, { ref, validUntil }, this.cause())))
      await vault.remove(account, source.name, ref)
    return undefined
  }

  /** How a run ends whose task can't do without a login, and has none. */
  missing() {
    return { status: 'failed' as const, code: LOST, detail: this.again }
  }

  /**
   * Judges the login by the run's end, before that is written: a state that the source refused is used no more.
   *
   * @returns the end, with what the client may do about it
   * @throws {StoreUnavailable}
   */
  async judge<C extends Conclusion>(conclusion: C): Promise<C> {
    const { found } = this
    const { task, source } = this.task ?? {}
    if (!source) return conclusion
    if (!found)
      return task?.needs?.login === 'optional' ? withAdvice(conclusion, firstLogin(source.name)) : conclusion
    if (isRefusal(conclusion)) {
      await this.reject(found.ref, 'refused')
      return withAdvice(conclusion, this.again)
    }
    this.note(source.name, 'used')
    if (conclusion.status === 'succeeded') this.note(source.name, 'checked')
    return conclusion
  }

  /** Whether the login has shown not long ago that it works. @param since when somebody signed in */
  private async isProved(source: string, since: number): Promise<boolean> {
    const { ephemeral, now, logger } = this.deps
    const { accountId, runId: run_id } = this.run
    // Times of use may be lost: no run waits for the store that has them.
    const [checkedAt = 0] = await ephemeral.lastUsed([timeOf(accountId, source, 'checked')]).catch((err) => {
      if (!(err instanceof StoreUnavailable)) throw err
      logger.warn({ err, run_id }, 'When a login was last checked could not be read. It is checked again.')
      return []
    })
    return now() - Math.max(checkedAt, since) < PROVED_MS
  }

  private note(source: string, what: 'used' | 'checked'): void {
    this.deps.ephemeral.used(timeOf(this.run.accountId, source, what), this.deps.now())
  }

  /** What the client may do when there is no login any more. */
  private get again(): string {
    const { task, source } = this.task ?? {}
    return task?.needs?.login === 'optional'
      ? `${AGAIN}it runs without a login, or with a new one after POST /v1/logins/${source?.name}.`
      : `${AGAIN}its answer says where to sign in.`
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

  /** A saved state; undefined for one that can't be opened any more: somebody has to sign in again. */
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

/** What helps where a task that can do without a login was shown nothing. */
const firstLogin = (source: string): string =>
  `Sign in first (POST /v1/logins/${source}), then send the request again, with a new Idempotency-Key or none.`

/** A refusal that says what the client may do; any other end as it is. */
const withAdvice = <C extends Conclusion>(conclusion: C, advice: string): C =>
  isRefusal(conclusion)
    ? { ...conclusion, detail: [conclusion.detail, advice].filter(Boolean).join('. ') }
    : conclusion

const isRefusal = (conclusion: Conclusion | undefined): boolean =>
  conclusion?.status === 'failed' && conclusion.code === LOST
