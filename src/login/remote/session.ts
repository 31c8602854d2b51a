/**
 * The people who sign in at sources with the browser of this process: let in as there is room, watched until they are
 * signed in, give up or run out of time. What they have signed in to goes into the vault, and nowhere else.
 *
 * @module
 */
import { retry } from '../../async/retry.ts'
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../../async/timers.ts'
import type { SignInHandle } from '../../browser/host/sign-in.ts'
import { SignInError, type SignInErrorCode } from '../../browser/signin/errors.ts'
import type { SignInWanted } from '../../browser/signin/open.ts'
import type { Frame, SignedIn, SignInEvent, Viewport } from '../../browser/signin/types.ts'
import type { AccountId } from '../../domain/ids.ts'
import { isUnavailable } from '../../log/event-log.ts'
import type { Logger } from '../../logger.ts'
import type { Source } from '../../plugin.ts'
import type { Vault } from '../../vault/vault.ts'
import type { SignInLinks } from '../links.ts'
import type { Logins } from '../logins.ts'
import { SessionQueue } from './queue.ts'

export type SignerDeps = {
  readonly browser: { signIn(wanted: SignInWanted): Promise<SignInHandle> }
  readonly logins: Pick<Logins, 'complete'>
  readonly vault: Pick<Vault, 'save'>
  readonly signIns: Pick<SignInLinks, 'find' | 'close'>
  readonly logger: Logger
  readonly now: () => number
  /** told of each session how it ended */
  readonly onEnded?: (end: 'done' | SessionEnd) => void
  /** at once; the others wait */
  readonly room: number
  /** how often it is looked whether the link still stands, in milliseconds; default 2 seconds */
  readonly lookMs?: number
  /** how long a session lasts while nobody looks, in milliseconds; default {@link ABANDONED_MS} */
  readonly abandonedMs?: number
}

/** A person who has opened a link. */
export type SessionOptions = {
  /** what the link was opened with */
  readonly id: string
  /** of the link's token */
  readonly hash: string
  readonly account: AccountId
  readonly source: Source
  readonly viewport: Viewport
  /** when the link was opened, and when it ends, in milliseconds since 1970 */
  readonly startedAt: number
  readonly expiresAt: number
  readonly onEvent: (event: SessionEvent) => void
}

export type SessionEnd = SignInErrorCode | 'expired' | 'withdrawn' | 'abandoned' | 'not-saved'

/** `done`: the login is saved and usable; like `failed`, nothing comes after it. */
export type SessionEvent =
  | SignInEvent
  /** so many come before */
  | { readonly type: 'waiting'; readonly before: number }
  /** signed in; the login is being saved */
  | { readonly type: 'saving' }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly code: SessionEnd; readonly text: string }

/** How many may wait, besides those who are in. */
export const MOST_WAITING = 100
const LOOK_MS = 2000
/** Phones stop a page whose person gets a code from somewhere else; a window that was closed must not keep a slot. */
const ABANDONED_MS = 300_000
/** A store that is away for a moment must not cost a person what they have signed in for. */
const SAVING = { when: isUnavailable, firstMs: 100, longestMs: 1000, forMs: 10_000 }
const WORDS = {
  expired: 'the time to sign in has run out',
  withdrawn: 'the login was deleted, or a newer link was opened',
  abandoned: 'nobody looked at this page for five minutes',
  'not-saved': 'the login could not be saved',
} as const
const NOT_TAKEN: Readonly<Record<string, string>> = {
  'bad-input': 'The remote page has not taken what you did last.',
  flooded: 'The remote page is busy: some of what you did was left out.',
}

export class Signer {
  private readonly queue: SessionQueue

  constructor(private readonly deps: SignerDeps) {
    this.queue = new SessionQueue(deps.room, MOST_WAITING)
  }

  /** Lets a person in; how it goes is told by events. */
  open(options: SessionOptions): Session {
    return new Session(this.deps, options, this.queue)
  }
}

/** A session, from the opened link to its end; it begins as it is made. */
export class Session {
  private readonly stopping = new AbortController()
  private handle: SignInHandle | undefined
  private readonly opened = Promise.withResolvers<SignInHandle>()
  /** what was told last of the address, of loading and of the focus; and of the session itself */
  private readonly known = new Map<SignInEvent['type'], SignInEvent>()
  private last: SessionEvent | undefined
  private hasEnded = false
  private isSaving = false
  /** looks since somebody attended: counted, since a machine that sleeps makes clocks jump */
  private missed = 0
  /** Resolves at its end. */
  readonly ended: Promise<void>

  constructor(
    private readonly deps: SignerDeps,
    private readonly options: SessionOptions,
    queue: SessionQueue,
  ) {
    // Nobody may be waiting for a picture.
    this.opened.promise.catch(() => {})
    this.ended = this.run(queue)
  }

  /**
   * Passes inputs on, in their order; the person is told when the page does not take one.
   *
   * @throws {SignInError} when there is no page yet, or no more
   */
  async send(inputs: readonly unknown[]): Promise<void> {
    const { handle } = this
    if (this.hasEnded || !handle) throw new SignInError(this.hasEnded ? 'closed' : 'busy')
    const sent = inputs.map((input) => handle.send(input))
    // Any other error is its end, and told as that.
    Promise.all(sent).catch(({ code }) => {
      const text = NOT_TAKEN[code]
      if (text !== undefined && !this.hasEnded)
        this.options.onEvent({ type: 'notice', code: 'not-taken', text })
    })
  }

  /** As soon as there is a page; see {@link SignInHandle.frame}. @throws {SignInError} when it has ended */
  async frame(options?: { readonly fresh?: boolean }): Promise<Frame> {
    const handle = await this.opened.promise
    if (this.hasEnded) throw new SignInError('closed')
    return handle.frame(options)
  }

  /** What was told last, for who was not told. */
  current(): SessionEvent[] {
    return this.last ? [...this.known.values(), this.last] : [...this.known.values()]
  }

  /** Somebody is there. To be called every few seconds for as long as that is so. */
  attended(): void {
    this.missed = 0
  }

  /** Ends it, when it has not ended. */
  close(code: SessionEnd = 'closed'): void {
    // It is too late: whether the login is saved is about to be told.
    if (!this.isSaving) this.fail(code)
  }

  /** Waits for a slot, opens the page, and sees to its end. Never throws. */
  private async run(queue: SessionQueue): Promise<void> {
    const { options } = this
    const timer = setTimeout(() => this.close('expired'), Math.max(0, options.expiresAt - this.deps.now()))
    const { lookMs = LOOK_MS, abandonedMs = ABANDONED_MS } = this.deps
    const looking = setInterval(() => {
      if (++this.missed * lookMs > abandonedMs) this.close('abandoned')
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
          'A sign-in failed by a fault of the service. The person is told.',
        )
      this.fail(isKnown ? error.code : 'not-saved')
    } finally {
      clearTimeout(timer)
      clearInterval(looking)
      leave?.()
    }
  }

  private async signIn(): Promise<void> {
    const { source, viewport } = this.options
    const { login } = source
    if (!login || this.hasEnded) return
    const handle = await this.deps.browser.signIn({
      site: source,
      login,
      viewport,
      onEvent: (event) => this.hear(event),
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
    // What was withdrawn since the last look, on any node, is not even kept. Who made it in time is in time.
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

  /** Its link may have been withdrawn, on any node. */
  private async look(): Promise<void> {
    const { now, logger } = this.deps
    try {
      if (await this.isWanted(now())) return
      // One that has expired is gone too.
      this.close(now() >= this.options.expiresAt ? 'expired' : 'withdrawn')
    } catch (error) {
      logger.warn({ err: error }, 'The link of a sign-in could not be looked up. Trying again.')
    }
  }

  private async isWanted(now: number): Promise<boolean> {
    const { hash, id } = this.options
    return (await this.deps.signIns.find(hash, now))?.opened === id
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
    // What was begun can't be gone on with.
    void this.closeLink()
  }

  /** It is used. Never rejects: it expires by itself, too. */
  private async closeLink(): Promise<void> {
    await this.deps.signIns.close(this.options.hash).catch((err) => {
      this.deps.logger.warn({ err }, 'The used link to a sign-in could not be ended. It expires by itself.')
    })
  }
}

/** What a person is told of such an end. */
export const failure = (code: SessionEnd): SessionEvent => ({
  type: 'failed',
  code,
  text: isOurs(code) ? WORDS[code] : new SignInError(code).message,
})

const isOurs = (code: SessionEnd): code is keyof typeof WORDS => Object.hasOwn(WORDS, code)
