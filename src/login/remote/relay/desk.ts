/**
 * A desk for people whom workers of any process let in: what they do goes to the worker that has their visit, and what
 * happens there comes back. Any desk serves any visit at any moment.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { BoundedCache } from '../../../bounded-cache.ts'
import type { Frame } from '../../../browser/host/sign-in.ts'
import { SignInError } from '../../../browser/signin/errors.ts'
import type { Logger } from '../../../logger.ts'
import type { Keyring } from '../../../vault/keyring.ts'
import type { SignIns } from '../../links.ts'
import type { Events } from '../events.ts'
import { type Attendance, type Desk, KEPT_MS, type VisitWanted } from '../gateway.ts'
import { failure, MOST_WAITING } from '../session.ts'
import { RelayAttendance } from './attendance.ts'
import { envelopeIn, offerOf, sealedJson, toDeskIn } from './messages.ts'
import { Questions } from './questions.ts'
import { VisitSeal } from './seal.ts'
import type { SignInWire } from './transport.ts'
import { Trouble } from './trouble.ts'
import { RelayVisit } from './visit.ts'
import { GRACE_MS, Waiting } from './waiting.ts'

export type RelayDeskDeps = {
  readonly wire: SignInWire
  readonly keyring: Pick<Keyring, 'derived'>
  readonly signIns: Pick<SignIns, 'find' | 'close'>
  readonly logger: Logger
  readonly now: () => number
  /** how often it is looked whether the link of one who waits still stands, in milliseconds; default 2 seconds */
  readonly lookMs?: number
}

/** Visits that are known at once; one that was let go of is made again. */
const MOST_KNOWN = 2000

export class RelayDesk implements Desk {
  private readonly name = `desk_${randomBytes(8).toString('hex')}`
  private readonly questions: Questions
  private readonly known = new BoundedCache<string, RelayVisit>(MOST_KNOWN)
  private readonly attending = new Map<string, RelayAttendance>()
  private readonly waiting: Waiting
  private readonly trouble: Trouble
  private hang: (() => Promise<void>) | undefined

  constructor(private readonly deps: RelayDeskDeps) {
    this.trouble = new Trouble(deps.logger)
    this.questions = new Questions(this.name, deps.wire, this.trouble)
    this.waiting = new Waiting({ ...deps, trouble: this.trouble })
  }

  /** Begins to hear answers. */
  async start(): Promise<void> {
    this.hang = await this.deps.wire.listen(this.name, {
      message: (bytes) => this.receive(bytes),
      moved: () => {
        for (const attendance of this.attending.values()) attendance.nudge()
      },
    })
  }

  /** Tells nobody any more; visits go on, and those that wait keep their place. */
  async stop(): Promise<void> {
    this.waiting.stop()
    for (const attendance of this.attending.values()) attendance.leave()
    await this.hang?.()
  }

  async open(wanted: VisitWanted): Promise<void> {
    const { wire, now, signIns } = this.deps
    const visit = this.visit(wanted.id)
    const offer = sealedJson(visit.seal, 'offer', offerOf(wanted))
    // A little longer than its time: that it is over is told, not just forgotten.
    const forMs = Math.max(0, wanted.expiresAt - now()) + GRACE_MS
    if (await wire.offer(wanted.id, offer, forMs, MOST_WAITING)) {
      this.waiting.watch(visit, wanted)
      return
    }
    await wire.end(wanted.id, sealedJson(visit.seal, 'end', failure('busy')), KEPT_MS)
    await signIns.close(wanted.hash)
  }

  async attend(id: string): Promise<Attendance | undefined> {
    // Whoever makes ids up must not take the place of those who come with real ones.
    if (!this.known.get(id) && !(await this.deps.wire.standing(id))) return undefined
    const visit = this.visit(id)
    return (await visit.standing()) && new Attending(visit, this.deps, (leave) => this.events(visit, leave))
  }

  private events(visit: RelayVisit, leave: AbortSignal): Events {
    const attendance = new RelayAttendance(visit, this.trouble)
    const left = () => attendance.leave()
    leave.addEventListener('abort', left, { once: true })
    if (leave.aborted) left()
    this.attending.set(attendance.name, attendance)
    void attendance.watch().then(() => {
      this.attending.delete(attendance.name)
      leave.removeEventListener('abort', left)
    })
    return attendance.events
  }

  private visit(id: string): RelayVisit {
    const known = this.known.get(id)
    const { keyring, wire } = this.deps
    const visit = known ?? new RelayVisit(id, new VisitSeal(keyring, id), wire, this.questions)
    // Also when it is known: what is used stays.
    this.known.set(id, visit)
    return visit
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
    const message = envelope && toDeskIn(this.visit(envelope.id).seal, envelope.sealed)
    if (!message) this.trouble.failed(undefined, 'a message of a sign-in was not sealed by a key of ours')
    else if (message.type === 'answer') this.questions.answered(message.n, message.answer)
    else this.attending.get(message.attendance)?.told(message.n, message.event)
  }
}

class Attending implements Attendance {
  /** the last frame may have got lost, and the page stands still since */
  private isMissing = false
  private leaving: AbortSignal | undefined

  constructor(
    private readonly visit: RelayVisit,
    private readonly deps: RelayDeskDeps,
    private readonly listen: (leave: AbortSignal) => Events,
  ) {}

  events(leave: AbortSignal): Events {
    this.leaving = leave
    return this.listen(leave)
  }

  async frame({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<Frame> {
    for (let isFresh = fresh || this.isMissing; ; isFresh = false) {
      this.isMissing = true
      const frame = await this.visit.frame(isFresh)
      this.isMissing = false
      if (frame) return frame
      // Nobody looks any more at a page that stands still.
      if (this.leaving?.aborted) throw new SignInError('closed')
    }
  }

  send(input: unknown): Promise<void> {
    return this.visit.send(input)
  }

  close(): void {
    this.end().catch((err) => {
      if (!(err instanceof SignInError)) this.deps.logger.warn({ err }, 'a sign-in could not be ended')
    })
  }

  private async end(): Promise<void> {
    const offer = await this.visit.withdraw('closed')
    if (offer) await this.deps.signIns.close(offer.hash)
    else await this.visit.close()
  }
}
