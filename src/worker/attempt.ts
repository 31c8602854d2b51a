/**
 * One attempt at one run, from its claim to its end: it is executed, then ended exactly once. Meanwhile its lease is
 * renewed. The client, a time limit or a shutdown can stop it.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { isEnded, type LeasedRun, type RunState } from '../domain/run.ts'
import type { Captures } from '../health/captures/keep.ts'
import type { Recorded } from '../log/event-log.ts'
import { RunLogin, type RunLoginDeps } from '../login/run-login.ts'
import type { LiveItems, SharedItems } from '../runs/items/live-items.ts'
import { BlockCharges, type BlockChargesDeps } from './block-charges.ts'
import { Collected } from './collected.ts'
import { Ending, type EndingDeps } from './ending.ts'
import { Executing, type ExecutingDeps } from './executing.ts'
import { expiryOf } from './expiry.ts'
import { Lease, type LeaseDeps } from './lease.ts'
import { RunLog } from './run-log.ts'
import { TotalUsage } from './total-usage.ts'

export type AttemptDeps = LeaseDeps &
  BlockChargesDeps &
  RunLoginDeps &
  ExecutingDeps &
  EndingDeps & {
    readonly liveItems: LiveItems
    /** default: the last answers of runs are not kept */
    readonly captures?: Pick<Captures, 'keep'> | undefined
  }

/** A claim of a run. */
export type Claim = {
  /** the run after it */
  readonly run: LeasedRun
  /** of the run's stream after it */
  readonly revision: number
  /** id of its event */
  readonly id: string
}

/** Why the run is stopped. `abandoned`: another worker may hold it, so this one must no longer write to it. */
type Stop = 'cancel' | 'run-limit' | 'shutdown' | 'abandoned'

/** How long a plugin may take to react to the signal, in milliseconds, before its process is killed. */
const GRACE_MS = { cancel: 4000, 'run-limit': 2000 }

export class Attempt {
  private readonly run: LeasedRun
  private readonly collected = new Collected()
  private readonly shared: SharedItems
  private readonly charges: BlockCharges
  private readonly login: RunLogin
  private readonly usage: TotalUsage
  private readonly log: RunLog
  private readonly lease: Lease
  private readonly executing: Executing
  private readonly ending: Ending
  private stop: Stop | undefined
  private isEnding = false
  /** milliseconds of `clock.monotonic()`, which clock corrections do not affect */
  private readonly limitAt: number

  /**
   * @param task undefined when no plugin provides it any more
   * @param onEnding called with the append of the run's end as soon as it is sent
   */
  constructor(
    private readonly deps: AttemptDeps,
    { run, revision, id }: Claim,
    private readonly task: CatalogueTask | undefined,
    onEnding: (written: Promise<unknown>) => void,
  ) {
    this.run = run
    this.limitAt = clock.monotonic() + Date.parse(run.runUntil) - deps.now()
    this.log = new RunLog(deps.logger, run)
    this.usage = new TotalUsage(run.usage)
    this.lease = new Lease(deps, run, revision, id, {
      contents: () => ({
        progress: this.collected.progress,
        charged: this.charges.total,
        usage: this.usage.total,
      }),
      onChange: (state) => this.changed(state),
      onLost: (why) => this.abandon(why),
    })
    this.charges = new BlockCharges(deps, run, task?.declaration, id, this.lease)
    this.login = new RunLogin(deps, run, task, id)
    this.shared = deps.liveItems.share(run, this.collected)
    const { lease, charges, login, collected, usage, log } = this
    const parts = { run, task, lease, charges, login, collected, usage, log }
    // A run that starts for the first time has only two events: its request and this claim.
    this.executing = new Executing(deps, parts, revision > 1, (why) => this.abandon(why))
    this.ending = new Ending(deps, parts, onEnding)
  }

  /** Executes the run and ends it, unless it is abandoned or handed back. */
  async perform(): Promise<void> {
    try {
      await this.untilEnd()
    } finally {
      this.shared.stop()
    }
    await this.keepCapture()
  }

  private async untilEnd(): Promise<void> {
    const end = await this.executing.untilEnd()
    if (!end && !this.stop) this.abandon('its process was killed')
    if (!this.isAbandoned()) await this.login.keep(end)
    if (this.isAbandoned()) return
    this.isEnding = true
    if (this.stop === 'shutdown' && !end && this.lease.state.status === 'running') return this.handBack()
    if (this.stop === 'run-limit') await this.ending.write({ status: 'expired', code: 'run-limit' })
    // The domain decides the status of a cancelled run.
    else await this.ending.write(end ?? { status: 'failed', code: null })
    this.executing.dropUnfinished()
  }

  /** Keeps what the run's process captured of its answers, after its end. Never rejects. */
  private async keepCapture(): Promise<void> {
    const { deps, executing, login } = this
    const { captured } = executing
    const run = this.lease.state
    const source = this.task?.source.name
    if (!captured || !isEnded(run) || source === undefined) return
    const { states } = login
    const credentials = deps.credentials?.get(source)
    await deps.captures?.keep({ ...captured, run, source, states, credentials, expiresAt: expiryOf(deps) })
  }

  /** Does everything that is due. Must be called several times per third of a lease. */
  tick(now: number): void {
    const hasEnded = this.isEnding && this.lease.leaseUntil === 0
    if (hasEnded || this.isAbandoned()) return
    if (this.lease.isAboutToEnd(now)) {
      this.abandon('the lease could not be renewed')
      return
    }
    if (now >= Date.parse(this.run.runUntil) || clock.monotonic() >= this.limitAt) this.stopFor('run-limit')
    this.executing.tick()
    this.shared.tick()
    if (!this.isEnding || this.isHeldUp(now)) this.lease.tick(now)
  }

  /** A new event of the run. */
  observe(recorded: Recorded): void {
    this.lease.observe(recorded)
  }

  /** The worker shuts down: the run returns to the queue, unless it is about to end. */
  shutDown(): void {
    this.stop ??= 'shutdown'
    this.executing.kill('the worker shuts down')
  }

  /** Another worker may hold the run, or may claim it when the lease ends: nothing more is written to it. */
  abandon(why: string): void {
    if (this.isAbandoned()) return
    this.stop = 'abandoned'
    this.log.abandoned(this.run.attempt, why)
    this.executing.kill(why)
  }

  private isAbandoned(): boolean {
    return this.stop === 'abandoned'
  }

  /**
   * Whether the end takes long to write, because a store is unavailable. Only then the lease is renewed meanwhile: a
   * renewal competes with the end. A run whose cancellation was requested ends with its lease instead.
   */
  private isHeldUp(now: number): boolean {
    return this.lease.state.status === 'running' && this.lease.isHalfOver(now)
  }

  private stopFor(why: 'cancel' | 'run-limit'): void {
    this.stop ??= why
    if (this.stop in GRACE_MS) this.executing.stop(this.stop, GRACE_MS[why])
  }

  /** Reacts to a newer state of the run. */
  private changed(state: RunState): void {
    if (this.isEnding) return
    if (state.status === 'cancelling') this.stopFor('cancel')
    else if (state.status !== 'running' || state.attempt !== this.run.attempt)
      this.abandon(`the run is ${state.status}`)
  }

  private async handBack(): Promise<void> {
    // The next attempt has the same number.
    this.shared.stop()
    const command = { type: 'hand-back', attempt: this.run.attempt, usage: this.usage.total } as const
    await this.lease.persist(() => this.lease.handle(command))
  }
}
