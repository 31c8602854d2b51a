/**
 * Keeps all read models up to date with the log. The only place that writes them.
 *
 * Projections are followed together, with one transaction a batch; those that are behind (a new version that is built, lost
 * rows) are followed apart until they have caught up, so that the others need not wait for them.
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
  /** told after each commit how old its oldest event was by then, in seconds, and how many events it brought */
  readonly onLag?: (seconds: number, events: number) => void
  readonly logger?: ProjectorLogger
  /** milliseconds since 1970; the clock by default */
  readonly now?: () => number
}

/** How far one read model is behind the log. */
export type Lag = {
  readonly model: string
  readonly version: number
  /** up to here its rows are written; null before the first event */
  readonly position: Position | null
  /** the log's last event; null when it is empty */
  readonly head: Position | null
  /** since when there has been something that it has not written yet; 0 when there is nothing */
  readonly seconds: number
  /** events that it could not handle since the start: a defect, see the log */
  readonly skipped: number
}

/** Between two tries to read the checkpoints, in milliseconds. */
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
   * Begins to follow, and goes on, whatever fails, until `stop`. Resolves when it has begun, or when the checkpoints could
   * not be read: then it tries again until they can.
   */
  async start(): Promise<void> {
    const tried = Promise.withResolvers<void>()
    this.beginning = this.begin(tried.resolve)
    await tried.promise
  }

  /** Finishes the batches at hand. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.beginning
    await Promise.all(this.followers.map((follower) => follower.stop()))
  }

  /** Resolves when all that is in the log now is in the read models. @throws when it is not running, or stopped */
  async caughtUp(): Promise<void> {
    const head = await this.log.head()
    if (head === null) return
    const shown = await Promise.all(this.projections.map((model) => this.waitFor(model, head)))
    if (shown.includes(false)) throw new Error('the projector is not running')
  }

  /**
   * Waits until a read model shows the log up to a position. It does not wait for the others, of which a new version may
   * be filling.
   *
   * @returns false when it did not within `timeoutMs` milliseconds (for ever by default), or when it is not followed here
   */
  async waitFor(model: Model, position: Position, timeoutMs?: number): Promise<boolean> {
    const until = timeoutMs === undefined ? undefined : clock.monotonic() + timeoutMs
    for (let asked: Follower | undefined; ; ) {
      const follower = this.followers.find((one) => one.follows(model))
      // Another one goes on with a model that was built.
      if (!follower || follower === asked) return false
      asked = follower
      const leftMs = until === undefined ? undefined : until - clock.monotonic()
      if (await follower.reached(position, leftMs)) return true
    }
  }

  /** How many callers wait for a read model right now. */
  get waiting(): number {
    return this.followers.reduce((sum, follower) => sum + follower.waiters.size, 0)
  }

  /** The position of a model's checkpoint when it was last looked at or written; 0 where there is none. */
  checkpointOf(model: Model): number {
    return this.followers.find((one) => one.follows(model))?.checkpointOf(model) ?? 0
  }

  /** How far each read model is behind. @throws when the log can't be asked */
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

  /** @param tried told when it has begun, and before it tries again */
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

  /** Those that are behind are followed apart until they are not, so that the others need not wait for them. */
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

  /** One defect must not keep all lists from going on; a rebuild after its repair makes up for it. */
  private skip(projection: Projection, event: Recorded, error: unknown): void {
    this.skipped.set(projection.name, (this.skipped.get(projection.name) ?? 0) + 1)
    const { stream, revision, type } = event
    this.options.logger?.error(
      { err: error, model: projection.name, version: projection.version, stream, revision, type },
      'A projection could not handle an event and skipped it. Mend the projection, then run `gleaner rebuild`.',
    )
  }

  /** The projections that are furthest, and those that are behind. */
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
