/**
 * Follows the log for a group of projections and writes their rows and checkpoints, those of a batch with one commit.
 *
 * Several processes may follow for the same read models: a commit succeeds only where the checkpoints are still those
 * that its rows were made from. The loser stands by, and takes over when the checkpoints stop moving.
 *
 * @module
 */
import { delay } from '../async/delay.ts'
import { type EventLog, LogReplaced, type Position } from '../log/event-log.ts'
import { add, Folder, type OnDefect, type Pending } from './fold.ts'
import { Generations, type ProjectorLogger } from './generations.ts'
import { Inbox } from './inbox.ts'
import type { Model, Projection, ReadModels, Row } from './read-models.ts'
import { Waiters } from './waiters.ts'

export type FollowerOptions = {
  readonly onDefect: OnDefect
  /** told after each commit */
  readonly onCommit?: ((done: Committed) => void) | undefined
  /** builds a next generation of every model, whatever there is, and ends when all are published; throws what fails */
  readonly isRebuild?: boolean
  readonly logger?: ProjectorLogger | undefined
}

/** A commit: how many events it brought, the last one's position, and its first one's time. */
export type Committed = {
  readonly events: number
  readonly position: Position
  /** RFC 3339: when the oldest of its events was decided */
  readonly oldest: string
}

/** Events folded in memory before they are written: large enough to be fast, small enough not to hold up requests. */
const BATCH = 2500
/** Between two commits when live, in milliseconds; while somebody waits the next one comes at once. */
const GAP_MS = 250
/** While standing by: how often the checkpoints are looked at, and how many looks without a move mean that nobody works. */
const LOOK_MS = 200
const STILL_LOOKS = 2
/** How often a projector that has nothing to do looks whether its rows are still there: they may be lost as a whole. */
const IDLE_LOOK_MS = 1000
const RETRY_MS = 100
const LONGEST_RETRY_MS = 5000

/** `caught up`: all that the log holds is written, and what was built can be published. */
type Outcome = 'stopped' | 'outrun' | 'caught up'

export class Follower {
  private readonly generations: Generations
  private readonly stopping = new AbortController()
  private inbox: Inbox | undefined
  private failures = 0
  /** callers of {@link reached} without an answer */
  readonly waiters = new Waiters()
  private running: Promise<void> | undefined
  /** the commit that is under way */
  private writing: Promise<boolean> | undefined
  /** up to here every row is written, if not the checkpoint itself; 0 before the first event */
  private written = 0
  /** since when there has been something to do, in milliseconds of `performance.now()` */
  behindSince: number | undefined = performance.now()

  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    readonly projections: readonly Projection[],
    private readonly options: FollowerOptions,
  ) {
    const { isRebuild = false, logger } = options
    this.generations = new Generations(log, readModels, projections, isRebuild, logger)
  }

  /** The position up to which every row is written; null before the first event. */
  get position(): Position | null {
    return this.written === 0 ? null : (this.written as Position)
  }

  /** Whether a model is one of this group's. */
  follows(model: Model): boolean {
    return this.generations.indexOf(model) >= 0
  }

  /** The position of a model's checkpoint when it was last looked at or written; undefined: it is none of this group's. */
  checkpointOf(model: Model): number | undefined {
    return this.generations.positions[this.generations.indexOf(model)]
  }

  /** Follows until `stop`; a rebuild until it is done. @throws in a rebuild only */
  run(): Promise<void> {
    this.running ??= this.follow().finally(() => {
      this.waiters.end()
    })
    return this.running
  }

  /** Writes what was gathered and ends. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  /**
   * Waits until readers see every row up to a position.
   *
   * @param timeoutMs milliseconds; for ever by default
   * @returns false when time is up, or when it is stopped before
   */
  reached(position: number, timeoutMs?: number): Promise<boolean> {
    if (!this.generations.isBuilding && this.written >= position) return Promise.resolve(true)
    if (this.stopping.signal.aborted) return Promise.resolve(false)
    this.inbox?.takeNow()
    return this.waiters.wait(position, timeoutMs)
  }

  private async follow(): Promise<void> {
    const { generations, stopping, options } = this
    while (!stopping.signal.aborted && generations.projections.length > 0) {
      try {
        await generations.look()
        this.reach(lowest(generations.positions))
        const outcome = await this.work()
        if (outcome === 'outrun') await this.standBy()
        if (outcome === 'caught up') await generations.publish()
      } catch (error) {
        if (options.isRebuild) throw error
        if (error instanceof LogReplaced) continue
        options.logger?.error(
          { err: error, ...this.names },
          'Read models could not be written. Trying again.',
        )
        await delay(Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** this.failures++), stopping.signal)
      }
    }
  }

  private async work(): Promise<Outcome> {
    const { generations } = this
    const from = lowest(generations.positions)
    const reading = new AbortController()
    const signal = AbortSignal.any([reading.signal, this.stopping.signal])
    const deliveries = this.log.subscribe(from === 0 ? null : (from as Position), { signal })
    const inbox = new Inbox(deliveries, from, BATCH, () => {
      this.behindSince ??= performance.now()
    })
    this.inbox = inbox
    if (this.waiters.size > 0) inbox.takeNow()
    try {
      return await this.consume(
        inbox,
        new Folder(this.readModels, generations.followed, this.options.onDefect),
      )
    } finally {
      this.inbox = undefined
      reading.abort()
      await inbox.close()
      // The checkpoints are looked at only after it.
      await this.writing?.catch(() => {})
    }
  }

  private async consume(inbox: Inbox, folder: Folder): Promise<Outcome> {
    const { generations } = this
    let notBefore = 0
    let pending: Pending | undefined
    this.writing = undefined
    for (;;) {
      const idle = performance.now() + IDLE_LOOK_MS
      const gathered = await inbox.take({ notBefore, until: pending?.until ?? idle })
      const events = gathered?.events ?? []
      const isLive = gathered?.live === true && inbox.isEmpty
      if (gathered && !pending && events.length === 0 && performance.now() >= idle) {
        if (!(await this.isWritten()) || !(await generations.areUnmoved())) return 'outrun'
        if (isLive) this.behindSince = undefined
        continue
      }
      const rows = await folder.fold(events, generations.positions)
      pending = add(pending, events)
      if (pending) {
        const hasChanged = rows.some(({ size }) => size > 0)
        const isDue =
          pending.count >= BATCH ||
          performance.now() >= pending.until ||
          !gathered ||
          (isLive && generations.isBuilding)
        if (hasChanged || isDue) {
          if (!(await this.isWritten())) return 'outrun'
          this.writing = this.commit(pending, rows)
          // Whoever awaits it hears of its failure.
          this.writing.catch(() => {})
          notBefore = performance.now() + GAP_MS
          pending = undefined
        }
      }
      // While catching up the next batch is folded meanwhile; its rows come from memory, or were not touched.
      if (gathered && !gathered.live) continue
      if (!(await this.isWritten())) return 'outrun'
      if (!gathered) return 'stopped'
      if (isLive && generations.isBuilding) return 'caught up'
      if (inbox.isEmpty) this.behindSince = undefined
      const newest = events.at(-1)
      if (newest) this.reach(newest.position)
    }
  }

  /** Resolves when the commit that is under way is done. @returns false when another projector was faster */
  private async isWritten(): Promise<boolean> {
    const done = (await this.writing) ?? true
    this.writing = undefined
    return done
  }

  /** @returns false when another projector was faster */
  private async commit(pending: Pending, rows: readonly Map<string, Row | null>[]): Promise<boolean> {
    const { last, count, oldest } = pending
    if (!(await this.generations.commit(last.position, rows))) return false
    this.failures = 0
    this.reach(last.position)
    this.options.onCommit?.({ events: count, position: last.position, oldest })
    return true
  }

  /** Another projector is at work: waits until the checkpoints stop moving before the end of the log. */
  private async standBy(): Promise<void> {
    const { generations } = this
    this.options.logger?.info(
      this.names,
      'Another projector writes these read models. This one waits, and takes over when that one stops.',
    )
    let before = ''
    for (let still = 0; still < STILL_LOOKS && !this.stopping.signal.aborted; ) {
      await delay(LOOK_MS, this.stopping.signal)
      const checkpoints = await generations.read()
      const head = (await this.log.head()) ?? 0
      const now = JSON.stringify(checkpoints)
      const reached = lowest(checkpoints.map((at) => (at?.logId === this.log.id ? at.position : 0)))
      this.reach(reached)
      // What is built must be published too.
      const isDone = reached >= head && !generations.isBuilding
      still = now === before && !isDone ? still + 1 : 0
      before = now
      if (isDone) this.behindSince = undefined
      else this.behindSince ??= performance.now()
    }
  }

  /** Every row up to a position is written. It goes back when somebody has begun a model anew. */
  private reach(position: number): void {
    this.written = position
    if (!this.generations.isBuilding) this.waiters.reached(position)
  }

  private get names(): { readonly models: readonly string[] } {
    return { models: this.projections.map(({ name, version }) => `${name} ${version}`) }
  }
}

/** The position that all of several models have reached; 0: the start. */
const lowest = (positions: readonly number[]): number => (positions.length === 0 ? 0 : Math.min(...positions))
