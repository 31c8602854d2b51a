/**
 * Saved logins of accounts: checks whether a login is usable, makes sign-in links, and deletes logins.
 *
 * @module
 */
import { timestamp } from '../async/clock.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { Operation } from '../domain/event-type.ts'
import type { Actor } from '../domain/events.ts'
import { type AccountId, loginStream } from '../domain/ids.ts'
import {
  type LoginCommand,
  type LoginState,
  loginDecider,
  type ReadyLogin,
  type Rejection,
  usableLogin,
} from '../domain/login.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import { idOf, newSecret } from '../ephemeral/tickets.ts'
import type { EventLog } from '../log/event-log.ts'
import { type Cause, type Executed, execute, type Loaded, load } from '../log/execute.ts'
import type { Logger } from '../logger.ts'
import { SIGN_IN_LINK_MS, type SignInLink, type SignInLinks } from '../signin/links.ts'
import type { Vault } from '../vault/vault.ts'

export type LoginsOptions = {
  readonly log: EventLog
  readonly signInLinks: Pick<SignInLinks, 'add' | 'find' | 'withdraw' | 'pending'>
  /** when logins were last used and checked, keyed by {@link timeOf} */
  readonly ephemeral: Pick<EphemeralStore, 'used' | 'lastUsed' | 'forget'>
  /** where signed-in states are kept; its keyed hash makes the tokens of links for calls that may be repeated */
  readonly states: Pick<Vault, 'destroy' | 'remove' | 'digest'>
  /** without a trailing slash */
  readonly publicUrl: string
  /** milliseconds since 1970 */
  readonly now: () => number
  /** warned of states that could not be removed at once; the reconciler's sweep removes them later */
  readonly logger: Pick<Logger, 'warn'>
  /** called for each state that this process rejects */
  readonly onRejected?: (source: string, reason: Rejection) => void
}

type AskOptions = {
  readonly operation?: Operation | undefined
  readonly returnTo?: SignInLink['returnTo']
}

/** A link for a person to open. `expires_at` is RFC 3339. */
export type Hosted = { readonly hosted_url: string; readonly expires_at: string }

/** The representation of a login for its account. Times are RFC 3339. */
export type LoginRecord = {
  readonly source: string
  readonly state: 'needs_login' | 'in_progress' | 'ready'
  readonly signed_in_at: string | null
  readonly last_used_at: string | null
  readonly last_checked_at: string | null
}

/** Who requested the sign-ins of a login. Times are RFC 3339. */
export type LoginRequests = {
  /** when a sign-in that has not been completed was last requested, and by whom; null without one */
  readonly open: { readonly at: string; readonly by: Actor | null } | null
  /** who requested the sign-in that runs use; null: unknown, or the login is not ready */
  readonly readyBy: Actor | null
}

/** The ephemeral store's key for the time when a run last used a login, or when the login was last known to work. */
export const timeOf = (account: AccountId, source: string, what: 'used' | 'checked'): string =>
  `login:${account}.${source}.${what}`

/** How many logins are cached. */
const MOST_KNOWN = 10_000

export class Logins {
  /** The folded streams as last read. Each task call reads only newer events, and there are usually none. */
  private readonly known = new BoundedCache<string, Loaded<LoginState>>(MOST_KNOWN)

  constructor(private readonly options: LoginsOptions) {}

  /** The state that the account's runs use at a source now, according to its stream. Undefined if there is none. */
  async usable(account: AccountId, source: string): Promise<ReadyLogin | undefined> {
    return usableLogin((await this.loaded(account, source)).state, this.options.now())
  }

  /**
   * Makes a link to a sign-in. An expired state is first rejected as expired, which records the reason in the log.
   *
   * @param reason a task call needed the login, or the client asked for the link
   * @param options.operation identifies the call: all calls of one operation make one link; see {@link asked}
   * @param options.returnTo see {@link SignInLink.returnTo}
   */
  async ask(
    account: AccountId,
    source: string,
    reason: 'call' | 'asked',
    cause: Omit<Cause, 'accountId'>,
    { operation, returnTo }: AskOptions = {},
  ): Promise<Hosted> {
    const { signInLinks, now } = this.options
    const { ready } = (await this.loaded(account, source)).state
    if (ready?.validUntil && ready.validUntil <= now())
      await this.handle(
        { type: 'reject', accountId: account, source, ref: ready.ref, reason: 'expired' },
        cause,
      )
    // The link comes first: once the event says that the operation was done, its repeats only look the link up.
    const token = operation ? await this.tokenOf(account, source, operation.id) : newSecret()
    // An operation's link is there already if this process or another one was cut off before the event.
    const known = operation && (await signInLinks.find(idOf(token), now()))
    const expiresAt = known?.expiresAt ?? now() + SIGN_IN_LINK_MS
    if (!known) await signInLinks.add(idOf(token), { account, source, expiresAt, returnTo }, now())
    await this.handle({ type: 'request', accountId: account, source, now: now(), reason, operation }, cause)
    return this.hosted(token, expiresAt)
  }

  /**
   * The link that an operation has made. It is shown again, because whoever may repeat the call may also make another
   * link, and a lost answer would leave a link that nobody has.
   *
   * @param id of the operation
   * @returns undefined once the link was opened, has expired or was withdrawn
   */
  async asked(account: AccountId, source: string, id: string): Promise<Hosted | undefined> {
    const token = await this.tokenOf(account, source, id)
    const link = await this.options.signInLinks.find(idOf(token), this.options.now())
    return link?.opened === null ? this.hosted(token, link.expiresAt) : undefined
  }

  /** The token of an operation's link: nobody can compute it without the vault's key, and no store contains it. */
  private async tokenOf(account: AccountId, source: string, id: string): Promise<string> {
    const digest = await this.options.states.digest(`sign-in link\n${account}.${source}\n${id}`)
    return Buffer.from(digest, 'hex').toString('base64url')
  }

  private hosted(token: string, expiresAt: number): Hosted {
    const hosted_url = `${this.options.publicUrl}/login/${token}`
    return { hosted_url, expires_at: new Date(expiresAt).toISOString() }
  }

  /** The status of the logins at these sources, in the same order. */
  async list(account: AccountId, sources: readonly string[]): Promise<readonly LoginRecord[]> {
    const { signInLinks, ephemeral, now } = this.options
    const timesOf = (what: 'used' | 'checked') =>
      ephemeral.lastUsed(sources.map((source) => timeOf(account, source, what)))
    const [states, pending, used, checked] = await Promise.all([
      Promise.all(sources.map((source) => this.loaded(account, source))),
      signInLinks.pending(account, sources, now()),
      timesOf('used'),
      timesOf('checked'),
    ])
    return sources.map((source, i) => {
      const ready = usableLogin(states[i]!.state, now())
      return {
        source,
        state: ready ? 'ready' : pending.has(source) ? 'in_progress' : 'needs_login',
        signed_in_at: timestamp(ready?.since),
        last_used_at: timestamp(used[i]),
        last_checked_at: timestamp(checked[i]),
      }
    })
  }

  /** Who requested the sign-ins at these sources, in the same order. */
  async requests(account: AccountId, sources: readonly string[]): Promise<readonly LoginRequests[]> {
    const all = await Promise.all(sources.map((source) => this.loaded(account, source)))
    return all.map(({ state }) => {
      const at = timestamp(state.requestedAt)
      return {
        open: at === null ? null : { at, by: state.requestedBy },
        readyBy: usableLogin(state, this.options.now())?.requestedBy ?? null,
      }
    })
  }

  /**
   * Records a successful sign-in: its state becomes the login's state, and earlier states are destroyed.
   *
   * @param signedIn `startedAt`: when the sign-in began
   * @returns false if the login was deleted since the sign-in began. The state is then destroyed unused.
   * @throws {StoreUnavailable} when the sign-in may not have been recorded
   */
  async complete(
    account: AccountId,
    source: string,
    signedIn: { readonly ref: string; readonly validUntil: number | null; readonly startedAt: number },
    cause: Omit<Cause, 'accountId'>,
  ): Promise<boolean> {
    const { ephemeral, states, now, logger } = this.options
    const { ref } = signedIn
    const { state } = await this.handle({ type: 'complete', accountId: account, source, ...signedIn }, cause)
    const counts = state.ready?.ref === ref
    // A state that was not accepted must not destroy others: an event may be about to name a newer one.
    const cleared = counts ? states.destroy(account, source, ref) : states.remove(account, source, ref)
    // The outcome is decided by the log, so a failure here does not change it.
    await cleared.catch((err) =>
      logger.warn(
        { err },
        'Old states of a login could not be removed from the vault. The sweep removes them.',
      ),
    )
    if (counts) ephemeral.used(timeOf(account, source, 'checked'), now())
    return counts
  }

  /**
   * Extends the validity of a state that a run used, if the source lets it last longer now.
   *
   * @param used `validUntil`: when the state now expires; null if unknown
   * @returns whether the state is still the login's current one
   */
  async extend(
    account: AccountId,
    source: string,
    used: { readonly ref: string; readonly validUntil: number | null },
    cause: Omit<Cause, 'accountId'>,
  ): Promise<boolean> {
    const now = this.options.now()
    const command = { type: 'extend', accountId: account, source, ...used, now } as const
    const { state } = await this.handle(command, cause)
    return state.ready?.ref === used.ref
  }

  /** Rejects a state, which is then no longer used. Does nothing if the login has another state by now. */
  async reject(
    account: AccountId,
    source: string,
    rejected: Pick<LoginCommand & { readonly type: 'reject' }, 'ref' | 'reason' | 'runId'>,
    cause: Omit<Cause, 'accountId'>,
  ): Promise<void> {
    await this.handle({ type: 'reject', accountId: account, source, ...rejected }, cause)
    // Only this state: an event may be about to name a newer one.
    await this.options.states.remove(account, source, rejected.ref)
  }

  /** Deletes a login: its state, its links, and its times of use. Idempotent. */
  async delete(account: AccountId, source: string, cause: Omit<Cause, 'accountId'>): Promise<void> {
    const { signInLinks, ephemeral, states } = this.options
    const { state } = await this.handle({ type: 'delete', accountId: account, source }, cause)
    await signInLinks.withdraw(account, source)
    await ephemeral.forget([timeOf(account, source, 'used'), timeOf(account, source, 'checked')])
    await states.destroy(account, source, state.ready?.ref)
  }

  /** Clears the cache: the log was reset or replaced. */
  forget(): void {
    this.known.clear()
  }

  private async loaded(account: AccountId, source: string): Promise<Loaded<LoginState>> {
    const stream = loginStream(account, source)
    const loaded = await load(this.options.log, stream, loginDecider, this.known.get(stream))
    this.known.set(stream, loaded)
    return loaded
  }

  private async handle(
    command: LoginCommand,
    cause: Omit<Cause, 'accountId'>,
  ): Promise<Executed<LoginState>> {
    const { accountId, source } = command
    const { log, onRejected } = this.options
    const by = { ...cause, accountId }
    const known = await this.loaded(accountId, source)
    const executed = await execute(log, loginStream(accountId, source), loginDecider, command, by, known)
    if (command.type === 'reject' && executed.events.length > 0) onRejected?.(source, command.reason)
    return executed
  }
}
