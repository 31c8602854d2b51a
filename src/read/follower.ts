/**
 * Follows the log for a group of projections and writes their rows and checkpoints, those of a batch with one commit.
 *
 * Several processes may follow for the same read models: a commit succeeds only where the checkpoints are still those
 * that its rows were made from. The loser stands by, and takes over when the checkpoints stop moving.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { delay } from '../async/delay.ts'
import { type EventLog, LogReplaced, type Position, type Recorded } from '../log/event-log.ts'
import { Folder, type OnDefect, type Rows } from './fold.ts'
import { Generations, type ProjectorLogger } from './generations.ts'
import { Inbox } from './inbox.ts'
import { type Model, type Projection, type ReadModels, reachedIn } from './read-models.ts'
import { Waiters } from './waiters.ts'

export type FollowerOptions = {
  readonly onDefect: OnDefect
  /** told after each commit */
  readonly onCommit?: ((done: Committed) => void) | undefined
  /** builds a next generation of every model, whatever there is, and ends when all are published; throws what fails */
  readonly isRebuild?: boolean
  /** told when all models show what the log holds; then it ends. By default it follows on. */
  readonly onBuilt?: (() => void) | undefined
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
/** Lists are right within a second of a store's return. */
const LONGEST_RETRY_MS = 500

/** `stopped`: by `stop`, or to follow more. `caught up`: all that the log holds is written, and what was built can be published. */
type Outcome = 'stopped' | 'outrun' | 'caught up'

export class Follower {
  private generations: Generations
  private reading: AbortController | undefined
  private readonly stopping = new AbortController()
  private inbox: Inbox | undefined
  private failures = 0
  /** callers of {@link reached} without an answer */
  readonly waiters = new Waiters()
  private running: Promise<void> | undefined
  /** up to here every row is written, if not the checkpoint itself; 0 before the first event */
  private written = 0
  /** since when there has been something to do, in milliseconds of `clock.monotonic()` */
  behindSince: number | undefined = clock.monotonic()

  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    public projections: readonly Projection[],
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

  /** Follows more projections from now on. */
  adopt(projections: readonly Projection[]): void {
    this.projections = [...this.projections, ...projections]
    this.generations = new Generations(
      this.log,
      this.readModels,
      this.projections,
      false,
      this.options.logger,
    )
    this.reading?.abort()
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
    const { stopping, options } = this
    while (!stopping.signal.aborted && this.generations.projections.length > 0) {
      const { generations } = this
      try {
        await generations.look()
        this.reach(lowest(generations.positions))
        const outcome = await this.work(generations)
        if (outcome === 'outrun') await this.standBy(generations)
        if (outcome !== 'caught up') continue
        await generations.publish()
        if (!generations.isBuilding) return options.onBuilt?.()
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

  private async work(generations: Generations): Promise<Outcome> {
    if (generations !== this.generations) return 'stopped'
    const from = lowest(generations.positions)
    const reading = new AbortController()
    this.reading = reading
    const signal = AbortSignal.any([reading.signal, this.stopping.signal])
    const deliveries = this.log.subscribe(from === 0 ? null : (from as Position), { signal })
    const inbox = new Inbox(deliveries, from, BATCH, () => {
      this.behindSince ??= clock.monotonic()
    })
    this.inbox = inbox
    if (this.waiters.size > 0) inbox.takeNow()
    try {
      return await this.consume(inbox, generations)
    } finally {
      this.inbox = undefined
      reading.abort()
      await inbox.close()
    }
  }

  private async consume(inbox: Inbox, generations: Generations): Promise<Outcome> {
    const { options } = this
    const folder = new Folder(this.readModels, generations.followed, options.onDefect)
    let writing = Promise.resolve(true)
    try {
      for (let notBefore = 0; ; ) {
        const gathered = await inbox.take(notBefore, clock.monotonic() + IDLE_LOOK_MS)
        if (!gathered) return (await writing) ? 'stopped' : 'outrun'
        const { events, live } = gathered
        if (events.length > 0) {
          // A batch is read and folded while the one before is written, whose rows the folder still knows.
          const [rows, written] = await Promise.all([folder.fold(events, generations.positions), writing])
          if (!written) return 'outrun'
          writing = this.write(generations, events, rows)
          // Whoever awaits it meets a failure; that is after the next batch has come.
          writing.catch(() => {})
          notBefore = clock.monotonic() + GAP_MS
        } else if (!(await writing) || !(await generations.areUnmoved())) return 'outrun'
        if (!live || !inbox.isEmpty) continue
        if (!(await writing)) return 'outrun'
        if (generations.isBuilding || options.onBuilt) return 'caught up'
        this.behindSince = undefined
      }
    } finally {
      // Once this has ended nothing is written any more.
      await writing.catch(() => {})
    }
  }

  /** @returns false when another projector was faster */
  private async write(
    generations: Generations,
    events: readonly Recorded[],
    rows: readonly Rows[],
  ): Promise<boolean> {
    const [first, last] = [events[0], events.at(-1)]
    if (!first || !last) return true
    if (!(await generations.commit(last.position, rows))) return false
    this.failures = 0
    this.reach(last.position)
    this.options.onCommit?.({ events: events.length, position: last.position, oldest: first.meta.at })
    return true
  }

  /**
   * Another projector is at work: waits until the model that is furthest behind stands still before the end of the log.
   * Others that move may be another projector's that does not follow that one.
   */
  private async standBy(generations: Generations): Promise<void> {
    const { options, stopping } = this
    options.logger?.info(
      this.names,
      'Another projector writes these read models. This one waits, and takes over when that one stops.',
    )
    let before = -1
    for (let still = 0; still < STILL_LOOKS && !stopping.signal.aborted; ) {
      await delay(LOOK_MS, stopping.signal)
      if (generations !== this.generations) return
      const checkpoints = await generations.read()
      const head = (await this.log.head()) ?? 0
      const reached = lowest(checkpoints.map((at) => Math.max(0, reachedIn(this.log, at))))
      this.reach(reached)
      // What is built must be published too.
      const isDone = reached >= head && !generations.isBuilding
      if (isDone && options.onBuilt) return
      still = reached === before && !isDone ? still + 1 : 0
      before = reached
      if (isDone) this.behindSince = undefined
      else this.behindSince ??= clock.monotonic()
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
