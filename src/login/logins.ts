/**
 * Saved logins of accounts: whether one is usable right now, links that lead to a sign-in, and their end.
 *
 * @module
 */
import { BoundedCache } from '../bounded-cache.ts'
import { type AccountId, loginStream } from '../domain/ids.ts'
import {
  decideLogin,
  type LoginCommand,
  type LoginState,
  type ReadyLogin,
  type Rejection,
  usableLogin,
} from '../domain/login.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import { idOf, newSecret } from '../ephemeral/tickets.ts'
import type { EventLog } from '../log/event-log.ts'
import { type Cause, type Executed, execute, type Loaded, load } from '../log/execute.ts'
import { loginFold } from '../log/folds.ts'
import type { Logger } from '../logger.ts'
import type { Vault } from '../vault/vault.ts'
import type { SignInLinks } from './links.ts'

export type LoginsOptions = {
  readonly log: EventLog
  readonly signIns: Pick<SignInLinks, 'add' | 'withdraw' | 'pending'>
  /** when logins were last used and checked, by {@link timeOf} */
  readonly ephemeral: Pick<EphemeralStore, 'used' | 'lastUsed' | 'forget'>
  /** where signed-in states are kept */
  readonly states: Pick<Vault, 'destroy' | 'remove'>
  /** no slash at its end */
  readonly publicUrl: string
  /** milliseconds since 1970 */
  readonly now: () => number
  /** told of what could not be cleared away at once: the reconciler's sweep does it later */
  readonly logger: Pick<Logger, 'warn'>
  /** told of each state that is used no more, when this process has marked it */
  readonly onRejected?: (source: string, reason: Rejection) => void
}

/** A link for a person to open. */
export type Hosted = { readonly hostedUrl: string; readonly expiresAt: number }

/** How a login stands, with times in milliseconds since 1970. */
export type LoginView = {
  readonly source: string
  readonly state: 'needs_login' | 'in_progress' | 'ready'
  readonly signedInAt: number | null
  readonly usedAt: number | null
  readonly checkedAt: number | null
}

/** Under which name the ephemeral store has when a login was last used by a run, or last found to work. */
export const timeOf = (account: AccountId, source: string, what: 'used' | 'checked'): string =>
  `login:${account}.${source}.${what}`

/** How long a link may be opened. */
export const LINK_MS = 15 * 60_000
/** Logins whose state is remembered. */
const MOST_KNOWN = 10_000

export class Logins {
  /** Their streams as they were read last: each call of a task reads what is new there, and that is mostly nothing. */
  private readonly known = new BoundedCache<string, Loaded<LoginState>>(MOST_KNOWN)

  constructor(private readonly options: LoginsOptions) {}

  /** The state that runs of the account use at a source right now, as its stream says; undefined when there is none. */
  async usable(account: AccountId, source: string): Promise<ReadyLogin | undefined> {
    return usableLogin((await this.loaded(account, source)).state, this.options.now())
  }

  /**
   * Makes a link to a sign-in. A state that ran out is marked as such first, so that the log says why.
   *
   * @param reason a task call needed it, or the client asked for it
   */
  async ask(
    account: AccountId,
    source: string,
    reason: 'call' | 'asked',
    cause: Omit<Cause, 'accountId'>,
  ): Promise<Hosted> {
    const { signIns, publicUrl, now } = this.options
    const { ready } = (await this.loaded(account, source)).state
    if (ready?.validUntil && ready.validUntil <= now())
      await this.command(account, source, { type: 'reject', ref: ready.ref, reason: 'expired' }, cause)
    await this.command(account, source, { type: 'request', now: now(), reason }, cause)
    const token = newSecret()
    const expiresAt = now() + LINK_MS
    await signIns.add(idOf(token), { account, source, expiresAt }, now())
    return { hostedUrl: `${publicUrl}/login/${token}`, expiresAt }
  }

  /** How the logins at these sources stand, in their order. */
  async list(account: AccountId, sources: readonly string[]): Promise<readonly LoginView[]> {
    const { signIns, ephemeral, now } = this.options
    const timesOf = (what: 'used' | 'checked') =>
      ephemeral.lastUsed(sources.map((source) => timeOf(account, source, what)))
    const [states, pending, used, checked] = await Promise.all([
      Promise.all(sources.map((source) => this.loaded(account, source))),
      signIns.pending(account, sources, now()),
      timesOf('used'),
      timesOf('checked'),
    ])
    return sources.map((source, i) => {
      const ready = usableLogin(states[i]!.state, now())
      return {
        source,
        state: ready ? 'ready' : pending.has(source) ? 'in_progress' : 'needs_login',
        signedInAt: ready?.since ?? null,
        usedAt: used[i] ?? null,
        checkedAt: checked[i] ?? null,
      }
    })
  }

  /**
   * A sign-in succeeded: its state counts from now on, and the ones before it are destroyed.
   *
   * @param signedIn `startedAt`: when the sign-in began
   * @returns false when the login was deleted meanwhile; the state is not used then, and destroyed
   * @throws {StoreUnavailable} when it may not count
   */
  async complete(
    account: AccountId,
    source: string,
    signedIn: { readonly ref: string; readonly validUntil: number | null; readonly startedAt: number },
    cause: Omit<Cause, 'accountId'>,
  ): Promise<boolean> {
    const { ephemeral, states, now, logger } = this.options
    const { ref } = signedIn
    const { state } = await this.command(account, source, { type: 'complete', ...signedIn }, cause)
    const counts = state.ready?.ref === ref
    // Of one that does not count no other may be destroyed: a newer one may be about to be named.
    const cleared = counts ? states.destroy(account, source, ref) : states.remove(account, source, ref)
    // What counts does so whether or not this can be done now.
    await cleared.catch((err) =>
      logger.warn({ err }, 'What a login has left in the vault could not be removed. The sweep removes it.'),
    )
    if (counts) ephemeral.used(timeOf(account, source, 'checked'), now())
    return counts
  }

  /**
   * A run has used a state, and the source may let it last longer now.
   *
   * @param used `validUntil`: when the state ends by now; null: it does not say
   * @returns whether it is still the login's
   */
  async extend(
    account: AccountId,
    source: string,
    used: { readonly ref: string; readonly validUntil: number | null },
    cause: Omit<Cause, 'accountId'>,
  ): Promise<boolean> {
    const command = { type: 'extend', ...used, now: this.options.now() } as const
    const { state } = await this.command(account, source, command, cause)
    return state.ready?.ref === used.ref
  }

  /** A state is used no more; nothing when another one counts by now. */
  async reject(
    account: AccountId,
    source: string,
    rejected: Omit<LoginCommand & { readonly type: 'reject' }, 'type'>,
    cause: Omit<Cause, 'accountId'>,
  ): Promise<void> {
    await this.command(account, source, { type: 'reject', ...rejected }, cause)
    // This one alone: a newer one may be about to be named.
    await this.options.states.remove(account, source, rejected.ref)
  }

  /** Deletes a login: its state, its links, and when it was used. Doing it again changes nothing. */
  async delete(account: AccountId, source: string, cause: Omit<Cause, 'accountId'>): Promise<void> {
    const { signIns, ephemeral, states } = this.options
    const { state } = await this.command(account, source, { type: 'delete' }, cause)
    await signIns.withdraw(account, source)
    await ephemeral.forget([timeOf(account, source, 'used'), timeOf(account, source, 'checked')])
    await states.destroy(account, source, state.ready?.ref)
  }

  /** Nothing that was read before counts any more: the log was set back or replaced. */
  forget(): void {
    this.known.clear()
  }

  private async loaded(account: AccountId, source: string): Promise<Loaded<LoginState>> {
    const stream = loginStream(account, source)
    const loaded = await load(this.options.log, stream, loginFold, this.known.get(stream))
    this.known.set(stream, loaded)
    return loaded
  }

  private async command(
    account: AccountId,
    source: string,
    command: LoginCommand,
    cause: Omit<Cause, 'accountId'>,
  ): Promise<Executed<LoginState>> {
    const of = { account_id: account, source }
    const decide = (state: LoginState) => decideLogin(command, state, of)
    const { log, onRejected } = this.options
    const all = { ...cause, accountId: account }
    const known = await this.loaded(account, source)
    const executed = await execute(log, loginStream(account, source), loginFold, decide, all, known)
    if (command.type === 'reject' && executed.events.length > 0) onRejected?.(source, command.reason)
    return executed
  }
}
