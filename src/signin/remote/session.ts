/**
 * Sign-in sessions in the browser of this process. A session waits for a slot, then lasts until the person is signed
 * in, gives up or runs out of time. The signed-in state is stored in the vault and nowhere else.
 *
 * @module
 */
import { retry } from '../../async/retry.ts'
import { clearInterval, setInterval } from '../../async/timers.ts'
import { type AccountId, loginStream } from '../../domain/ids.ts'
import { isUnavailable } from '../../log/event-log.ts'
import type { Cause } from '../../log/execute.ts'
import type { Logger } from '../../logger.ts'
import type { Exits } from '../../net/exits/exits.ts'
import { failureFrom } from '../../net/exits/rest.ts'
import { type ExitUse, placeOf } from '../../net/exits/uses.ts'
import type { Source } from '../../plugin.ts'
import type { Vault } from '../../vault/vault.ts'
import { SignInError } from '../browser/errors.ts'
import type { SignInTarget } from '../browser/open.ts'
import type { Frame, SignedIn, SignInEvent, SignInHandle, Viewport } from '../browser/types.ts'
import type { SignInLinks } from '../links.ts'
import { SessionQueue } from './queue.ts'
import { failure, type SessionEnd, type SessionEvent } from './session-events.ts'

/** Where a completed sign-in becomes a saved login. */
export type SavedLogins = {
  /**
   * Makes a state in the vault the login's state.
   *
   * @param signedIn `ref` names the state; the other times are in milliseconds since 1970
   * @returns false if the login was deleted since the sign-in began
   * @throws {StoreUnavailable}
   */
  complete(
    account: AccountId,
    source: string,
    signedIn: { readonly ref: string; readonly validUntil: number | null; readonly startedAt: number },
    cause: Omit<Cause, 'accountId'>,
  ): Promise<boolean>
}

export type SessionDeps = {
  /** the browser of this process, once it exists */
  readonly browser: () => { signIn(wanted: SignInTarget): Promise<SignInHandle> } | undefined
  /** the login's exit: the same in its runs */
  readonly exits: Pick<Exits, 'forLogin' | 'ended'>
  readonly logins: SavedLogins
  readonly vault: Pick<Vault, 'save'>
  readonly signInLinks: Pick<SignInLinks, 'find' | 'close'>
  readonly logger: Logger
  readonly now: () => number
  /** called with what each page used of its exit; default: it is not counted */
  readonly onExitUsed?: ((use: ExitUse) => void) | undefined
  /** called with the outcome of each session */
  readonly onEnded?: (end: 'done' | SessionEnd) => void
  /** how many sessions may be open at once; the others wait */
  readonly room: number
  /** how often to check that the link is still valid, in milliseconds; default 2 seconds */
  readonly lookMs?: number
  /** how long a session lasts while nobody is watching, in milliseconds; default {@link ABANDONED_MS} */
  readonly abandonedMs?: number
}

/** The session of a person who opened a link. */
export type SessionOptions = {
  /** the id that the link was opened with */
  readonly id: string
  /** of the link's token */
  readonly hash: string
  readonly account: AccountId
  readonly source: Source
  readonly viewport: Viewport
  /** when the link was opened, and when it expires, in milliseconds since 1970 */
  readonly startedAt: number
  readonly expiresAt: number
  readonly onEvent: (event: SessionEvent) => void
}

/** How many people may wait for a slot. */
export const MOST_WAITING = 100
const LOOK_MS = 2000
/** A phone suspends the page while the person fetches a code elsewhere, but a closed window must not keep a slot. */
const ABANDONED_MS = 300_000
/** A short outage of a store must not lose a completed sign-in. */
const SAVING = { when: isUnavailable, firstMs: 100, longestMs: 1000, forMs: 10_000 }
const NOT_TAKEN: Readonly<Record<string, string>> = {
  'bad-input': 'The remote page did not accept your last input.',
  flooded: 'The remote page is busy: some of your input was dropped.',
}

export class LocalSessions {
  private readonly queue: SessionQueue

  constructor(private readonly deps: SessionDeps) {
    this.queue = new SessionQueue(deps.room, MOST_WAITING)
  }

  /** Opens a session for a person. Events report its progress. */
  open(options: SessionOptions): SignInSession {
    return new SignInSession(this.deps, options, this.queue)
  }
}

/** A session, from the opened link to its end. It starts when constructed. */
export class SignInSession {
  private readonly stopping = new AbortController()
  private handle: SignInHandle | undefined
  private readonly opened = Promise.withResolvers<SignInHandle>()
  /** the latest events of address, loading and focus; `last` is the latest event of the session itself */
  private readonly known = new Map<SignInEvent['type'], SignInEvent>()
  private last: SessionEvent | undefined
  private hasEnded = false
  private isSaving = false
  /** checks since somebody was last watching; a count, since clocks jump when the machine sleeps */
  private missed = 0
  /** Resolves when the session has ended. */
  readonly ended: Promise<void>

  constructor(
    private readonly deps: SessionDeps,
    private readonly options: SessionOptions,
    queue: SessionQueue,
  ) {
    // Avoids an unhandled rejection when nobody is waiting for a picture.
    this.opened.promise.catch(() => {})
    this.ended = this.run(queue)
  }

  /**
   * Passes inputs on in order. The person is told if the page does not accept one.
   *
   * @throws {SignInError} if there is no page yet, or no longer
   */
  async send(inputs: readonly unknown[]): Promise<void> {
    const { handle } = this
    if (this.hasEnded || !handle) throw new SignInError(this.hasEnded ? 'closed' : 'busy')
    const sent = inputs.map((input) => handle.send(input))
    // Any other error ends the session and is reported as its end.
    Promise.all(sent).catch(({ code }) => {
      const text = NOT_TAKEN[code]
      if (text !== undefined && !this.hasEnded)
        this.options.onEvent({ type: 'notice', code: 'not-taken', text })
    })
  }

  /** Waits for the page; see {@link SignInHandle.frame}. @throws {SignInError} when the session has ended */
  async frame(options?: { readonly fresh?: boolean }): Promise<Frame> {
    const handle = await this.opened.promise
    if (this.hasEnded) throw new SignInError('closed')
    return handle.frame(options)
  }

  /** The latest events, for a new viewer. */
  current(): SessionEvent[] {
    return this.last ? [...this.known.values(), this.last] : [...this.known.values()]
  }

  /** Reports that somebody is watching. Must be called every few seconds while that is the case. */
  attended(): void {
    this.missed = 0
  }

  /** Ends the session if it has not ended yet. */
  close(code: SessionEnd = 'closed'): void {
    // Too late while saving: the outcome of that is about to be reported.
    if (!this.isSaving) this.fail(code)
  }

  /** Runs the session: waits for a slot, opens the page and waits for the outcome. Never throws. */
  private async run(queue: SessionQueue): Promise<void> {
    const { lookMs = LOOK_MS, abandonedMs = ABANDONED_MS } = this.deps
    const looking = setInterval(() => {
      if (this.deps.now() >= this.options.expiresAt) this.close('expired')
      else if (++this.missed * lookMs > abandonedMs) this.close('abandoned')
      else void this.look()
    }, lookMs)
    let leave: (() => void) | undefined
    try {
      leave = await queue.enter(this.stopping.signal, (before) => this.tell({ type: 'waiting', before }))
      if (leave) await this.signIn()
      else this.close('busy')
    } catch (error) {
      const isKnown = error instanceof SignInError
      if (!isKnown)
        this.deps.logger.error(
          { err: error },
          'A login could not be saved. The person is told to sign in again.',
        )
      else if (error.code === 'defect')
        this.deps.logger.error(
          { err: error.cause },
          'A sign-in failed because of a defect of the service. The person is told.',
        )
      this.fail(isKnown ? error.code : 'not-saved')
    } finally {
      clearInterval(looking)
      leave?.()
    }
  }

  private async signIn(): Promise<void> {
    const { account, source, viewport } = this.options
    const { login } = source
    if (!login || this.hasEnded) return
    const browser = this.deps.browser()
    if (!browser) throw new SignInError('no-browser')
    const { exits, onExitUsed } = this.deps
    const exit = exits.forLogin(source.name, loginStream(account, source.name))
    const handle = await browser.signIn({
      site: source,
      login,
      viewport,
      exit,
      onEvent: (event) => this.hear(event),
      onExitFailed: ({ where, reason }) => {
        if (exit) void exits.ended(exit, source.name, failureFrom(where), reason)
      },
      onUsed: (usage) =>
        onExitUsed?.({ ...placeOf(exit), source: source.name, outcome: 'sign-in', ...usage }),
    })
    this.handle = handle
    this.opened.resolve(handle)
    if (this.hasEnded) handle.close()
    this.last = undefined
    const signedIn = await handle.outcome
    if (!this.hasEnded) await this.save(signedIn)
  }

  private async save({ state, validUntil }: SignedIn): Promise<void> {
    const { vault, logins, now } = this.deps
    const { account, source, startedAt, id } = this.options
    this.isSaving = true
    this.tell({ type: 'saving' })
    // A link that any node withdrew since the last check: nothing is stored. Checked as of the start of the session,
    // so that a link that expires during the save still counts.
    if (!(await retry(() => this.isWanted(startedAt), SAVING))) return this.fail('withdrawn')
    const ref = await retry(() => vault.save(account, source.name, state), SAVING)
    const cause = { correlationId: id, causationId: id, now: now() }
    const completion = { ref, validUntil, startedAt }
    const isSaved = await retry(() => logins.complete(account, source.name, completion, cause), SAVING)
    if (!isSaved) return this.fail('withdrawn')
    this.hasEnded = true
    this.tell({ type: 'done' })
    this.deps.onEnded?.('done')
    await this.closeLink()
  }

  /** Ends the session if any node has withdrawn its link, or if the link has expired meanwhile. */
  private async look(): Promise<void> {
    const { now, logger } = this.deps
    try {
      if (!(await this.isWanted(now()))) this.close(now() >= this.options.expiresAt ? 'expired' : 'withdrawn')
    } catch (error) {
      logger.warn({ err: error }, 'The link of a sign-in could not be looked up. Trying again.')
    }
  }

  private async isWanted(now: number): Promise<boolean> {
    const { hash, id } = this.options
    return (await this.deps.signInLinks.find(hash, now))?.opened === id
  }

  private hear(event: SignInEvent): void {
    if (this.hasEnded) return
    if (event.type !== 'notice') this.known.set(event.type, event)
    this.options.onEvent(event)
  }

  private tell(event: SessionEvent): void {
    this.last = event
    this.options.onEvent(event)
  }

  private fail(code: SessionEnd): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.stopping.abort()
    this.handle?.close()
    this.opened.reject(new SignInError('closed'))
    this.tell(failure(code))
    this.deps.onEnded?.(code)
    // A failed session cannot be resumed.
    void this.closeLink()
  }

  /** Ends the used link. Never rejects: the link also expires by itself. */
  private async closeLink(): Promise<void> {
    await this.deps.signInLinks.close(this.options.hash).catch((err) => {
      this.deps.logger.warn({ err }, 'The used link to a sign-in could not be ended. It expires by itself.')
    })
  }
}
