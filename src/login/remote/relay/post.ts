/**
 * The post of a worker: it takes people who wait at any desk as long as it has room, and lets them in with this process's
 * browser. The line is one for all workers; whoever has room takes the first.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { delay } from '../../../async/delay.ts'
import { BoundedCache } from '../../../bounded-cache.ts'
import type { Logger } from '../../../logger.ts'
import type { Source } from '../../../plugin.ts'
import type { Keyring } from '../../../vault/keyring.ts'
import { KEPT_MS } from '../gateway.ts'
import { failure, type Signer, type VisitEvent } from '../session.ts'
import {
  askedIn,
  envelopeIn,
  type Offer,
  openedJson,
  sealedJson,
  type ToDesk,
  toDeskBytes,
} from './messages.ts'
import { PostedVisit } from './posted.ts'
import { VisitSeal } from './seal.ts'
import type { SignInWire } from './transport.ts'
import { Trouble } from './trouble.ts'

export type RelayPostDeps = {
  readonly wire: SignInWire
  readonly keyring: Pick<Keyring, 'derived'>
  /** of this process; it has at least as much room */
  readonly signer: Pick<Signer, 'open'>
  /** a source by its name; undefined for one that this process does not have */
  readonly sourceOf: (name: string) => Source | undefined
  readonly logger: Logger
  /** people at once */
  readonly room: number
}

/** How often it is looked for people who wait, beside whenever the line moves, in milliseconds. */
const LOOK_MS = 5000
/** After the store failed. */
const RETRY_MS = 1000
/** How often it says which visits it has, in milliseconds: many times while they count as its own. */
const KEEP_MS = 1000

/** Visits that are over and can still be asked about: somebody may not have heard all that was told of them. */
const MOST_OVER = 100

type Held = { readonly seal: VisitSeal; readonly visit: PostedVisit; readonly over: Promise<void> }

export class RelayPost {
  private readonly name = `post_${randomBytes(8).toString('hex')}`
  private readonly visits = new Map<string, Held>()
  private readonly past = new BoundedCache<string, Held>(MOST_OVER)
  private readonly stopping = new AbortController()
  private nudged = new AbortController()
  private hang: (() => Promise<void>) | undefined
  private works: Promise<unknown> = Promise.resolve()
  private readonly trouble: Trouble

  constructor(private readonly deps: RelayPostDeps) {
    this.trouble = new Trouble(deps.logger)
  }

  /** Begins to take people. */
  async start(): Promise<void> {
    this.hang = await this.deps.wire.listen(this.name, {
      message: (bytes) => this.receive(bytes),
      moved: () => this.nudged.abort(),
    })
    this.works = Promise.all([this.takeAll(), this.keepAll()])
  }

  /** Takes nobody more, and ends all visits: this process stops. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.nudged.abort()
    await this.works
    const held = [...this.visits.values()]
    for (const { visit } of held) visit.session.close('browser-ended')
    await Promise.all(held.map(({ over }) => over))
    await this.hang?.()
  }

  private async takeAll(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      this.nudged = new AbortController()
      const { signal: nudge } = this.nudged
      try {
        // It is nudged at the stop, too.
        if (!(await this.takeOne())) await delay(LOOK_MS, nudge)
      } catch (err) {
        this.trouble.failed(err, 'people who wait to sign in could not be looked for')
        await delay(RETRY_MS, signal)
      }
    }
  }

  /** @returns whether it is worth to look for another one */
  private async takeOne(): Promise<boolean> {
    const { wire, room } = this.deps
    if (this.visits.size >= room) return false
    const taken = await wire.take(this.name)
    this.trouble.well()
    if (taken) await this.begin(taken.id, taken.sealed)
    return taken !== undefined
  }

  private async begin(id: string, sealed: string): Promise<void> {
    const { keyring, signer, sourceOf, logger } = this.deps
    const seal = new VisitSeal(keyring, id)
    const offer = openedJson<Offer>(seal, 'offer', sealed)
    const source = offer && sourceOf(offer.source)
    if (!offer || !source?.login) {
      logger.error('a sign-in was taken that this process does not know the source or the key of')
      await this.ended(id, seal, failure('defect'))
      return
    }
    const visit = new PostedVisit(
      (onEvent) => signer.open({ ...offer, id, source, onEvent }),
      (desk, message) => this.tell(desk, id, seal, message),
      logger,
    )
    const held: Held = { seal, visit, over: visit.session.ended.then(() => this.end(id, held)) }
    this.visits.set(id, held)
    if (this.stopping.signal.aborted) visit.session.close('browser-ended')
  }

  private async end(id: string, held: Held): Promise<void> {
    await this.ended(id, held.seal, held.visit.end ?? failure('defect'))
    this.past.set(id, held)
    this.visits.delete(id)
    this.nudged.abort()
  }

  /** Leaves word of how it ended, for who attends later; never rejects. */
  private async ended(id: string, seal: VisitSeal, end: VisitEvent): Promise<void> {
    const { wire } = this.deps
    const sealed = sealedJson(seal, 'end', end)
    for (let left = KEPT_MS; left > 0; left -= RETRY_MS) {
      try {
        return await wire.end(id, sealed, KEPT_MS)
      } catch (err) {
        this.trouble.failed(err, 'it could not be written how a sign-in ended')
        if (this.stopping.signal.aborted) return
        await delay(RETRY_MS, this.stopping.signal)
      }
    }
  }

  private async keepAll(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      await delay(KEEP_MS, signal)
      const ids = [...this.visits.keys()]
      if (ids.length === 0 || signal.aborted) continue
      try {
        await this.deps.wire.keep(this.name, ids)
        this.trouble.well()
      } catch (err) {
        this.trouble.failed(err, 'sign-ins of this process could not be kept')
      }
    }
  }

  private receive(bytes: Buffer): void {
    try {
      this.heard(bytes)
    } catch (err) {
      this.trouble.failed(err, 'a message of a sign-in could not be read')
    }
  }

  /** @throws {StoreUnavailable} when the vault's key can't be read */
  private heard(bytes: Buffer): void {
    const envelope = envelopeIn(bytes)
    if (!envelope) return
    const { id, sealed } = envelope
    const held = this.visits.get(id) ?? this.past.get(id)
    const seal = held?.seal ?? new VisitSeal(this.deps.keyring, id)
    const asked = askedIn(seal, sealed)
    if (!asked) this.trouble.failed(undefined, 'a message of a sign-in was not sealed by a key of ours')
    else if (held) void held.visit.receive(asked)
    else this.tell(asked.desk, id, seal, { type: 'answer', n: asked.n, answer: { type: 'unknown' } })
  }

  private tell(desk: string, id: string, seal: VisitSeal, message: ToDesk): void {
    this.deps.wire.send(desk, toDeskBytes(id, seal, message)).catch((err) => {
      // Who has not heard it asks again.
      this.trouble.failed(err, 'a desk could not be told of a sign-in')
    })
  }
}
