/**
 * The host of a worker: it claims pending sessions of all gateways as long as it has room, and has them in this process's
 * browser. They are one queue for all workers; whoever has room claims the first.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { delay } from '../../../async/delay.ts'
import type { Logger } from '../../../logger.ts'
import type { Source } from '../../../plugin.ts'
import type { Keyring } from '../../../vault/keyring.ts'
import { KEPT_MS } from '../gateway.ts'
import { failure, type SessionEvent, type Signer } from '../session.ts'
import { HostedSession } from './hosted.ts'
import { addressed, opened, sealed, sealedFrame } from './messages.ts'
import { SessionSeal } from './seal.ts'
import type { SignInTransport, TransportReader } from './transport.ts'
import { Trouble } from './trouble.ts'

export type RelayHostDeps = {
  readonly transport: SignInTransport
  readonly keyring: Pick<Keyring, 'derived'>
  /** of this process; it has at least as much room */
  readonly signer: Pick<Signer, 'open'>
  /** a source by its name; undefined for one that this process does not have */
  readonly sourceOf: (name: string) => Source | undefined
  readonly logger: Logger
  /** people at once */
  readonly room: number
}

/** How often it looks for pending sessions, beside whenever something moves, in milliseconds. */
const LOOK_MS = 5000
/** After the store failed. */
const RETRY_MS = 1000
/** How often it renews its sessions, in milliseconds: several times while they count as its own. */
const RENEW_MS = 1000

type Hosted = { readonly hosted: HostedSession; readonly over: Promise<void> }

export class RelayHost {
  private readonly name = `host_${randomBytes(8).toString('hex')}`
  private readonly sessions = new Map<string, Hosted>()
  private readonly stopping = new AbortController()
  private nudged = new AbortController()
  private reader: TransportReader | undefined
  private works: Promise<unknown> = Promise.resolve()
  private readonly trouble: Trouble

  constructor(private readonly deps: RelayHostDeps) {
    this.trouble = new Trouble(deps.logger)
  }

  /** Begins to claim sessions. */
  start(): void {
    this.reader = this.deps.transport.reader()
    this.reader.news(() => this.nudged.abort())
    this.works = Promise.all([this.claimAll(), this.renewAll()])
  }

  /** Claims nothing more, and ends all sessions: this process stops. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.nudged.abort()
    await this.works
    const all = [...this.sessions.values()]
    for (const { hosted } of all) hosted.session.close('browser-ended')
    await Promise.all(all.map(({ over }) => over))
    this.reader?.close()
  }

  private async claimAll(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      this.nudged = new AbortController()
      const { signal: nudge } = this.nudged
      try {
        // It is nudged at the stop, too.
        if (!(await this.claimOne())) await delay(LOOK_MS, nudge)
      } catch (err) {
        this.trouble.failed(err, 'pending sign-ins could not be looked for')
        await delay(RETRY_MS, signal)
      }
    }
  }

  /** @returns whether it is worth to look for another one */
  private async claimOne(): Promise<boolean> {
    const { transport, room } = this.deps
    if (this.sessions.size >= room) return false
    const claimed = await transport.claim(this.name)
    this.trouble.well()
    if (claimed) await this.begin(claimed.id, claimed.sealed)
    return claimed !== undefined
  }

  private async begin(id: string, offered: string): Promise<void> {
    const { keyring, signer, sourceOf, logger, transport } = this.deps
    const seal = new SessionSeal(keyring, id)
    const pending = opened(seal, 'pending', offered)
    const source = pending && sourceOf(pending.source)
    if (!pending || !source?.login) {
      logger.error('a sign-in was claimed whose source or key this process does not have')
      await this.writeEnd(id, seal, failure('defect'))
      return
    }
    const hosted = new HostedSession(
      (onEvent) => signer.open({ ...pending, id, source, onEvent }),
      {
        tell: (event) => this.persist('tell', () => transport.tell(id, sealed(seal, 'event', event))),
        show: (frame) => transport.show(id, sealedFrame(seal, frame)),
        reply: (gateway, n, reply) => {
          const message = addressed(id, sealed(seal, 'reply', { n, reply }))
          // Whoever has not heard it is told that the call failed.
          transport.reply(gateway, message).catch((err) => this.trouble.failed(err, 'a call had no reply'))
        },
      },
      logger,
    )
    const unread = this.reader?.calls(id, (bytes) =>
      this.trouble.guarded('a call of a sign-in could not be read', () => this.receive(hosted, seal, bytes)),
    )
    const over = hosted.ended.then(async () => {
      await this.writeEnd(id, seal, hosted.end ?? failure('defect'))
      unread?.()
      this.sessions.delete(id)
      this.nudged.abort()
    })
    this.sessions.set(id, { hosted, over })
    if (this.stopping.signal.aborted) hosted.session.close('browser-ended')
  }

  private receive(hosted: HostedSession, seal: SessionSeal, bytes: Buffer): void {
    const sent = opened(seal, 'call', bytes)
    if (!sent) this.trouble.failed(undefined, 'a call of a sign-in was not sealed by a key of ours')
    else void hosted.receive(sent)
  }

  /** Writes how it ended, for viewers that come later. */
  private writeEnd(id: string, seal: SessionSeal, end: SessionEvent): Promise<void> {
    const text = sealed(seal, 'end', end).toString('base64')
    return this.persist('end', () => this.deps.transport.end(id, text, KEPT_MS))
  }

  /** Writes until that succeeds, for a minute at most; while this process stops, once. Never rejects. */
  private async persist(what: string, write: () => Promise<void>): Promise<void> {
    const { signal } = this.stopping
    for (let left = KEPT_MS; left > 0; left -= RETRY_MS) {
      try {
        return await write()
      } catch (err) {
        this.trouble.failed(err, `what happened to a sign-in could not be written: ${what}`)
        if (signal.aborted) return
        await delay(RETRY_MS, signal)
      }
    }
  }

  private async renewAll(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      await delay(RENEW_MS, signal)
      const ids = [...this.sessions.keys()]
      if (ids.length === 0 || signal.aborted) continue
      try {
        const seen = await this.deps.transport.renew(this.name, ids)
        for (const id of seen) this.sessions.get(id)?.hosted.session.attended()
        this.trouble.well()
      } catch (err) {
        this.trouble.failed(err, 'sign-ins of this process could not be renewed')
      }
    }
  }
}
