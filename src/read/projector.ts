/**
 * Keeps all read models up to date with the log. The only place that writes them.
 *
 * Projections with the same checkpoint are followed together, with one transaction a batch; those that are behind (a new
 * version that is built) are followed apart, so that the others need not wait for them.
 *
 * @module
 */
import { delay } from '../async/delay.ts'
import type { EventLog, Position, Recorded } from '../log/event-log.ts'
import { Follower } from './follower.ts'
import type { ProjectorLogger } from './generations.ts'
import type { Model, Projection, ReadModels } from './read-models.ts'

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
    if (!(await this.reached(head))) throw new Error('the projector is not running')
  }

  /**
   * Waits until a read model shows the log up to a position. It does not wait for the others, of which a new version may
   * be filling.
   *
   * @returns false when it did not within `timeoutMs` milliseconds, or when it is not followed here
   */
  async waitFor(model: Model, position: Position, timeoutMs: number): Promise<boolean> {
    const follower = this.followers.find((one) => one.follows(model))
    return follower ? follower.reached(position, timeoutMs) : false
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
    const now = performance.now()
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
    for (let isAsked = false; !isAsked && !signal.aborted; ) {
      try {
        const groups = await this.groups()
        isAsked = true
        if (!signal.aborted) this.followers = groups.map((group) => this.follower(group))
      } catch (error) {
        this.options.logger?.error(
          { err: error },
          'The checkpoints of read models could not be read. Trying again.',
        )
        tried()
        await delay(RETRY_MS, signal)
      }
    }
    for (const follower of this.followers) void follower.run()
    tried()
  }

  private async reached(position: Position): Promise<boolean> {
    if (this.followers.length === 0) return this.projections.length === 0
    const reached = await Promise.all(this.followers.map((follower) => follower.reached(position)))
    return !reached.includes(false)
  }

  private follower(group: readonly Projection[]): Follower {
    const { onLag, logger, now = Date.now } = this.options
    return new Follower(this.log, this.readModels, group, {
      logger,
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

  /** The projections that are furthest, and the others, which must not hold those up: new versions, lost rows. */
  private async groups(): Promise<readonly (readonly Projection[])[]> {
    const positions = await Promise.all(
      this.projections.map(async (projection) => {
        const at = await this.readModels.checkpoint(projection)
        return at?.logId === this.log.id ? at.position : -1
      }),
    )
    const furthest = Math.max(...positions)
    const first = this.projections.filter((_, i) => positions[i] === furthest)
    const others = this.projections.filter((_, i) => positions[i] !== furthest)
    return [first, others].filter((group) => group.length > 0)
  }
}
