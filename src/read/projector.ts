/**
 * Keeps all read models up to date with the log. The only module that writes them.
 *
 * Projections are followed together, with one transaction per batch. Projections that are behind (a new version, lost
 * rows) are followed separately until they have caught up, so that they do not delay the others.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { retryUntilAborted } from '../async/retry.ts'
import type { EventLog, Position, Recorded } from '../log/event-log.ts'
import { Follower } from './follower.ts'
import type { ProjectorLogger } from './generations.ts'
import { type Model, type Projection, type ReadModels, reachedIn } from './read-models.ts'

export type ProjectorOptions = {
  /** called after each commit with the age of its oldest event in seconds and the number of its events */
  readonly onLag?: (seconds: number, events: number) => void
  readonly logger?: ProjectorLogger
  /** the current time in milliseconds since 1970; the system clock by default */
  readonly now?: () => number
}

/** How far one read model is behind the log. */
export type Lag = {
  readonly model: string
  readonly version: number
  /** the position up to which its rows are written; null before the first event */
  readonly position: Position | null
  /** the log's last event; null when it is empty */
  readonly head: Position | null
  /** how long it has been behind; 0 when it is up to date */
  readonly seconds: number
  /** events that it could not handle since the process started: a defect, see the log */
  readonly skipped: number
}

/** Delay between attempts to read the checkpoints, in milliseconds. */
const RETRY_MS = 1000

export class Projector {
  private readonly skipped = new Map<string, number>()
  private followers: readonly Follower[] = []
  private readonly stopping = new AbortController()
  private beginning: Promise<void> | undefined

  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    private readonly projections: readonly Projection[],
    private readonly options: ProjectorOptions = {},
  ) {}

  /**
   * Starts following the log and retries all failures until `stop`. Resolves when following has begun, or when the
   * checkpoints could not be read for the first time, which is then retried in the background.
   */
  async start(): Promise<void> {
    const tried = Promise.withResolvers<void>()
    this.beginning = this.begin(tried.resolve)
    await tried.promise
  }

  /** Finishes the current batches and stops. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.beginning
    await Promise.all(this.followers.map((follower) => follower.stop()))
  }

  /**
   * Resolves when the read models reflect the log's current head.
   *
   * @throws when the projector is not running, or stops
   */
  async caughtUp(): Promise<void> {
    const head = await this.log.head()
    if (head === null) return
    const shown = await Promise.all(this.projections.map((model) => this.waitFor(model, head)))
    if (shown.includes(false)) throw new Error('the projector is not running')
  }

  /**
   * Waits until a read model reflects the log up to a position. Does not wait for other models, which may be building a
   * new version.
   *
   * @returns false after `timeoutMs` milliseconds (unlimited by default), or when the model is not followed here
   */
  async waitFor(model: Model, position: Position, timeoutMs?: number): Promise<boolean> {
    const until = timeoutMs === undefined ? undefined : clock.monotonic() + timeoutMs
    for (let asked: Follower | undefined; ; ) {
      const follower = this.followers.find((one) => one.follows(model))
      // After a model was built, another follower continues with it.
      if (!follower || follower === asked) return false
      asked = follower
      const leftMs = until === undefined ? undefined : until - clock.monotonic()
      if (await follower.reached(position, leftMs)) return true
    }
  }

  /** The number of callers that wait for a read model. */
  get waiting(): number {
    return this.followers.reduce((sum, follower) => sum + follower.waiters.size, 0)
  }

  /** The position of a model's checkpoint when it was last read or written; 0 without one. */
  checkpointOf(model: Model): number {
    return this.followers.find((one) => one.follows(model))?.checkpointOf(model) ?? 0
  }

  /** How far each read model is behind. @throws when the log is unavailable */
  async lag(): Promise<Lag[]> {
    const head = await this.log.head()
    const now = clock.monotonic()
    return this.followers.flatMap((follower) => {
      const { position } = follower
      if (head === null || (position !== null && position >= head)) follower.behindSince = undefined
      else follower.behindSince ??= now
      const seconds = follower.behindSince === undefined ? 0 : (now - follower.behindSince) / 1000
      return follower.projections.map((projection) => ({
        model: projection.name,
        version: projection.version,
        position,
        head,
        seconds,
        skipped: this.skipped.get(projection.name) ?? 0,
      }))
    })
  }

  /** @param tried called when following has begun, and before each retry */
  private async begin(tried: () => void): Promise<void> {
    const { signal } = this.stopping
    const onRetry = (err: unknown) => {
      this.options.logger?.error({ err }, 'The checkpoints of read models could not be read. Trying again.')
      tried()
    }
    const again = { when: () => true, firstMs: RETRY_MS, longestMs: RETRY_MS, signal, onRetry }
    const groups = await retryUntilAborted(() => this.groups(), again)
    if (groups && !signal.aborted) this.followers = this.followersOf(groups.ahead, groups.behind)
    for (const follower of this.followers) void follower.run()
    tried()
  }

  /**
   * Models that are behind get a follower of their own until they have caught up, so that they do not delay the others.
   */
  private followersOf(ahead: readonly Projection[], behind: readonly Projection[]): readonly Follower[] {
    if (behind.length === 0) return [this.follower(ahead)]
    const first = this.follower(ahead)
    const onBuilt = () => {
      first.adopt(behind)
      this.followers = [first]
    }
    return [first, this.follower(behind, onBuilt)]
  }

  private follower(group: readonly Projection[], onBuilt?: () => void): Follower {
    const { onLag, logger, now = clock.now } = this.options
    return new Follower(this.log, this.readModels, group, {
      logger,
      onBuilt,
      onDefect: (projection, event, error) => this.skip(projection, event, error),
      onCommit: ({ oldest, events }) => {
        onLag?.(Math.max(0, now() - Date.parse(oldest)) / 1000, events)
      },
    })
  }

  /** One defect must not stop all lists. A rebuild after its repair corrects the rows. */
  private skip(projection: Projection, event: Recorded, error: unknown): void {
    this.skipped.set(projection.name, (this.skipped.get(projection.name) ?? 0) + 1)
    const { stream, revision, type } = event
    this.options.logger?.error(
      { err: error, model: projection.name, version: projection.version, stream, revision, type },
      'A projection could not handle an event and skipped it. Fix the projection, then run `gleaner rebuild`.',
    )
  }

  /** Splits the projections into those with the highest position and those behind it. */
  private async groups() {
    const positions = await Promise.all(
      this.projections.map(async (model) => reachedIn(this.log, await this.readModels.checkpoint(model))),
    )
    const furthest = Math.max(...positions)
    const ahead = this.projections.filter((_, i) => positions[i] === furthest)
    const behind = this.projections.filter((_, i) => positions[i] !== furthest)
    return { ahead, behind }
  }
}
