/**
 * The host of a worker. While it has room, it claims pending sessions of all gateways and runs them in this process's
 * browser. All workers share one queue; any host with room claims its head.
 *
 * @module
 */
import { delay } from '../../../async/delay.ts'
import { retry } from '../../../async/retry.ts'
import { StoreUnavailable } from '../../../log/event-log.ts'
import type { Logger } from '../../../logger.ts'
import type { Source } from '../../../plugin.ts'
import type { Keyring } from '../../../vault/keyring.ts'
import { KEPT_MS } from '../gateway.ts'
import type { LocalSessions } from '../session.ts'
import { failure, type SessionEvent } from '../session-events.ts'
import { HostedSession } from './hosted.ts'
import { SessionSeal } from './seal.ts'
import type { SignInTransport } from './transport.ts'

export type RelayHostDeps = {
  readonly transport: SignInTransport
  readonly keyring: Pick<Keyring, 'derived'>
  /** the sessions of this process; it has at least as much room */
  readonly localSessions: Pick<LocalSessions, 'open'>
  /** a source by its name; undefined if this process does not have it */
  readonly sourceOf: (name: string) => Source | undefined
  readonly logger: Logger
  /** how many sessions may be open at once */
  readonly room: number
}

/** How often it renews its sessions and looks for pending ones, in milliseconds. */
const TICK_MS = 250

type Hosted = { readonly hosted: HostedSession; readonly ended: Promise<void> }

export class RelayHost {
  private readonly sessions = new Map<string, Hosted>()
  private readonly stopping = new AbortController()
  private works: Promise<unknown> = Promise.resolve()

  constructor(private readonly deps: RelayHostDeps) {}

  /** Starts claiming sessions. */
  start(): void {
    this.works = this.work()
  }

  /** Stops claiming and ends all sessions, as this process stops. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.works
    const all = [...this.sessions.values()]
    for (const { hosted } of all) hosted.session.close('browser-ended')
    await Promise.all(all.map(({ ended }) => ended))
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      try {
        await this.renewAndClaim()
      } catch (err) {
        // The connection itself logs that Redis is unavailable.
        if (!(err instanceof StoreUnavailable))
          this.deps.logger.error({ err }, 'Sign-ins could not be renewed or claimed. Trying again.')
      }
      await delay(TICK_MS, signal)
    }
  }

  private async renewAndClaim(): Promise<void> {
    const { transport, room } = this.deps
    await Promise.all([...this.sessions.keys()].map((id) => transport.renew(id)))
    while (this.sessions.size < room && !this.stopping.signal.aborted) {
      const claimed = await transport.claim()
      if (!claimed) return
      this.begin(claimed.id, claimed.sealed)
    }
  }

  private begin(id: string, sealed: Buffer): void {
    const { keyring, localSessions, sourceOf, logger, transport } = this.deps
    const seal = new SessionSeal(keyring, id)
    const writeEnd = (end: SessionEvent) => this.persist(() => transport.end(id, seal.pack('end', end)))
    const pending = seal.unpack('pending', sealed)
    const source = pending && sourceOf(pending.source)
    if (!pending || !source?.login) {
      logger.error('A sign-in failed: this worker does not have its source or its vault key.')
      void writeEnd(failure('defect'))
      return
    }
    const hosted = new HostedSession(
      (onEvent) => localSessions.open({ ...pending, id, source, onEvent }),
      (event, picture) => {
        const shown = picture && seal.seal('picture', picture)
        return this.persist(() => transport.tell(id, seal.pack('event', event), shown))
      },
    )
    const unread = transport.calls(id, (bytes) => {
      const sent = seal.unpack('call', bytes)
      if (sent) hosted.receive(sent)
      else logger.warn('A call of a sign-in was ignored: it is not sealed with a key of this vault.')
    })
    const ended = hosted.ended.then(async (end) => {
      await writeEnd(end)
      unread()
      this.sessions.delete(id)
    })
    this.sessions.set(id, { hosted, ended })
  }

  /** Retries a write for up to a minute; writes only once while this process stops. Never rejects. */
  private async persist(write: () => Promise<unknown>): Promise<void> {
    const { signal } = this.stopping
    const when = (err: unknown) => err instanceof StoreUnavailable
    const written = signal.aborted
      ? write()
      : retry(write, { when, signal, firstMs: 200, longestMs: 1000, forMs: KEPT_MS })
    await written.catch((err) =>
      this.deps.logger.warn({ err }, 'An event of a sign-in could not be passed on to the person.'),
    )
  }
}
