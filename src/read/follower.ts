/**
 * Follows the log for a group of projections and writes their rows and checkpoints, one commit per batch.
 *
 * Several processes may follow the log for the same read models, with optimistic concurrency: a commit succeeds only if
 * the checkpoints are still the ones from which its rows were computed. The loser goes on standby, and takes over when
 * the checkpoints stop moving.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { delay } from '../async/delay.ts'
import { backoff } from '../async/retry.ts'
import { type EventLog, LogReplaced, type Position } from '../log/event-log.ts'
import { Folder, type OnDefect, type Rows } from './fold.ts'
import { Generations, type ProjectorLogger } from './generations.ts'
import { Inbox } from './inbox.ts'
import { type Projection, type ReadModels, reachedIn } from './read-models.ts'

export type FollowerOptions = {
  readonly onDefect: OnDefect
  /** called after each commit, with the number of its events and the position of the last one */
  readonly onCommit?: (events: number, position: Position) => void
  /** builds a next generation of every model and ends when all are published; failures are thrown, not retried */
  readonly isRebuild?: boolean
  readonly logger?: ProjectorLogger | undefined
}

/** Events per batch: large enough to be fast, small enough not to delay requests. */
const BATCH = 2500
/** Time between two commits when live, in milliseconds. While a caller waits, the next commit is made at once. */
const GAP_MS = 250
/**
 * On standby: the interval of checkpoint reads in milliseconds, and the number of unchanged reads before taking over.
 */
const LOOK_MS = 200
const STILL_LOOKS = 2
/** How often an idle projector checks that its rows still exist, in milliseconds: the store may lose all of them. */
const IDLE_LOOK_MS = 1000
const RETRY_MS = 100
/** Short enough that lists are correct within a second of a store's return, in milliseconds. */
const LONGEST_RETRY_MS = 500

/**
 * Why following ended for now. `stopped`: by `stop`. `outrun`: another projector was faster. `caught up`: all events are written, and built
 * generations can be published.
 */
type StopReason = 'stopped' | 'outrun' | 'caught up'

export class Follower {
  private readonly generations: Generations
  private readonly stopping = new AbortController()
  private inbox: Inbox | undefined
  private failures = 0
  private running: Promise<void> | undefined
  /** every row up to this position is written; 0 before the first event */
  written = 0
  /** the time since which there has been work to do, in milliseconds of `clock.monotonic()` */
  behindSince: number | undefined = clock.monotonic()

  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    readonly projections: readonly Projection[],
    private readonly options: FollowerOptions,
  ) {
    const { isRebuild = false, logger } = options
    this.generations = new Generations(log, readModels, projections, isRebuild, logger)
  }

  /** Follows until `stop`, or in a rebuild until it is done. @throws in a rebuild only */
  run(): Promise<void> {
    this.running ??= this.follow()
    return this.running
  }

  /** Writes the gathered events and ends. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  /** Makes the next commit as soon as it has events, because a caller waits for it. */
  catchUpNow(): void {
    this.inbox?.takeNow()
  }

  private async follow(): Promise<void> {
    const { stopping, options, generations } = this
    while (!stopping.signal.aborted && generations.projections.length > 0) {
      try {
        await generations.look()
        this.written = lowest(generations.positions)
        const reason = await this.work(generations)
        if (reason === 'outrun') await this.standBy(generations)
        if (reason === 'caught up') await generations.publish()
      } catch (error) {
        if (options.isRebuild) throw error
        if (error instanceof LogReplaced) continue
        options.logger?.error(
          { err: error, ...this.names },
          'Read models could not be written. Trying again.',
        )
        const ms = backoff(++this.failures, { firstMs: RETRY_MS, longestMs: LONGEST_RETRY_MS })
        await delay(ms, stopping.signal)
      }
    }
  }

  private async work(generations: Generations): Promise<StopReason> {
    const from = lowest(generations.positions)
    const reading = new AbortController()
    const signal = AbortSignal.any([reading.signal, this.stopping.signal])
    const subscription = this.log.subscribe(from === 0 ? null : (from as Position), { signal })
    const inbox = new Inbox(subscription, from, BATCH, () => {
      this.behindSince ??= clock.monotonic()
    })
    this.inbox = inbox
    try {
      return await this.consume(inbox, generations)
    } finally {
      this.inbox = undefined
      reading.abort()
      await inbox.close()
    }
  }

  private async consume(inbox: Inbox, generations: Generations): Promise<StopReason> {
    const { options } = this
    const folder = new Folder(this.readModels, generations.models, options.onDefect)
    // Up to two commits are on their way: the newer one is encoded while the older one is written.
    let older = Promise.resolve(true)
    let writing = older
    try {
      for (let notBefore = 0; ; ) {
        const gathered = await inbox.take(notBefore, clock.monotonic() + IDLE_LOOK_MS)
        if (!gathered) return (await writing) ? 'stopped' : 'outrun'
        const { events, live } = gathered
        const last = events.at(-1)
        if (last) {
          // A batch is read and folded while the previous ones are written. The folder still has their rows.
          const [rows, written] = await Promise.all([folder.fold(events, generations.positions), older])
          if (!written) return 'outrun'
          older = writing
          writing = this.write(generations, events.length, last.position, rows, older)
          // A failure is handled where the commit is awaited, after further batches have arrived.
          writing.catch(() => {})
          notBefore = clock.monotonic() + GAP_MS
        } else if (!(await writing) || !(await generations.areUnmoved())) return 'outrun'
        if (!live || !inbox.isEmpty) continue
        if (!(await writing)) return 'outrun'
        if (generations.isBuilding) return 'caught up'
        this.behindSince = undefined
      }
    } finally {
      // After this method has ended, nothing may be written any more.
      await writing.catch(() => {})
    }
  }

  /** @returns false when another projector was faster */
  private async write(
    generations: Generations,
    events: number,
    position: Position,
    rows: readonly Rows[],
    before: Promise<boolean>,
  ): Promise<boolean> {
    if (!(await generations.commit(position, rows, before))) return false
    this.failures = 0
    this.written = position
    this.options.onCommit?.(events, position)
    return true
  }

  /**
   * Waits while another projector is active: until the checkpoint of the model that is furthest behind stops moving
   * before the end of the log. Only that model counts, because a projector that moves others may not follow it.
   */
  private async standBy(generations: Generations): Promise<void> {
    const { options, stopping } = this
    options.logger?.info(
      this.names,
      'Another projector is writing these read models. This one is on standby and takes over when that one stops.',
    )
    let before = -1
    for (let still = 0; still < STILL_LOOKS && !stopping.signal.aborted; ) {
      await delay(LOOK_MS, stopping.signal)
      const checkpoints = await generations.read()
      const head = (await this.log.head()) ?? 0
      const reached = lowest(checkpoints.map((at) => Math.max(0, reachedIn(this.log, at))))
      this.written = reached
      // Built generations must be published too.
      const isDone = reached >= head && !generations.isBuilding
      still = reached === before && !isDone ? still + 1 : 0
      before = reached
      if (isDone) this.behindSince = undefined
      else this.behindSince ??= clock.monotonic()
    }
  }

  private get names(): { readonly models: readonly string[] } {
    return { models: this.projections.map(({ name, version }) => `${name} ${version}`) }
  }
}

/** The position that all models have reached; 0: the start. */
const lowest = (positions: readonly number[]): number => (positions.length === 0 ? 0 : Math.min(...positions))
