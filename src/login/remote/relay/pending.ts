/**
 * A session that may be pending still: it ends when its time is up, its link was withdrawn, or the person leaves it.
 *
 * @module
 */
import { delay } from '../../../async/delay.ts'
import type { Keyring } from '../../../vault/keyring.ts'
import type { SignInStore } from '../../sign-in-store.ts'
import { KEPT_MS, type SessionRequest } from '../gateway.ts'
import { failure, type SessionEnd } from '../session.ts'
import { opened, type Pending, sealed } from './messages.ts'
import { SessionSeal } from './seal.ts'
import type { Look, SignInTransport, Viewing } from './transport.ts'
import type { Trouble } from './trouble.ts'

export type PendingDeps = {
  readonly transport: SignInTransport
  readonly keyring: Pick<Keyring, 'derived'>
  readonly signIns: Pick<SignInStore, 'find' | 'close'>
  readonly trouble: Trouble
  readonly now: () => number
  /** how often it is looked whether the link of a pending session still stands, in milliseconds; default 2 seconds */
  readonly lookMs?: number
}

/** How much longer than its time a session is pending, so that it is ended and not just gone, in milliseconds. */
const GRACE_MS = 10_000
const LOOK_MS = 2000

export class PendingSession {
  protected readonly seal: SessionSeal

  constructor(
    readonly id: string,
    protected readonly deps: PendingDeps,
  ) {
    this.seal = new SessionSeal(deps.keyring, id)
  }

  /** How it is now; undefined when it is lost. */
  look(viewing?: Viewing): Promise<Look | undefined> {
    return this.deps.transport.look(this.id, viewing)
  }

  /** Offers it to all hosts. @returns false when too many are pending: then it has ended */
  async offer({ id: _, source, ...rest }: SessionRequest, most: number): Promise<boolean> {
    const { transport, now, signIns } = this.deps
    const wanted = sealed(this.seal, 'pending', { ...rest, source: source.name }).toString('base64')
    const forMs = Math.max(0, rest.expiresAt - now()) + GRACE_MS
    if (await transport.offer(this.id, wanted, forMs, most)) return true
    await transport.end(this.id, this.ending('busy'), KEPT_MS)
    await signIns.close(rest.hash)
    return false
  }

  /** Ends it, with its link, where it is pending. @returns whether it was */
  async withdraw(code: SessionEnd): Promise<boolean> {
    const offered = await this.deps.transport.withdraw(this.id, this.ending(code), KEPT_MS)
    const pending: Pending | undefined =
      offered === undefined ? undefined : opened(this.seal, 'pending', offered)
    if (pending) await this.deps.signIns.close(pending.hash)
    return offered !== undefined
  }

  /** Looks after it for as long as it is pending; never rejects. @param signal leaves it alone: a host finds out, too */
  async guard({ hash, expiresAt }: SessionRequest, signal: AbortSignal): Promise<void> {
    const { now, trouble, lookMs = LOOK_MS } = this.deps
    for (;;) {
      await delay(Math.max(1, Math.min(lookMs, expiresAt - now())), signal)
      if (signal.aborted) return
      try {
        if (!(await this.isToGoOn(hash, expiresAt))) return
      } catch (err) {
        if (signal.aborted) return
        trouble.failed(err, 'a pending sign-in could not be looked after')
        // It is gone by itself then.
        if (now() > expiresAt + GRACE_MS) return
        await delay(lookMs, signal)
      }
    }
  }

  private async isToGoOn(hash: string, expiresAt: number): Promise<boolean> {
    const { signIns, now } = this.deps
    if (((await this.look())?.before ?? null) === null) return false
    if ((await signIns.find(hash, now()))?.opened === this.id) return true
    // A link whose time is up is gone too.
    await this.withdraw(now() >= expiresAt ? 'expired' : 'withdrawn')
    return false
  }

  private ending(code: SessionEnd): string {
    return sealed(this.seal, 'end', failure(code)).toString('base64')
  }
}
