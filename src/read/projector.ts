/**
 * Keeps all read models up to date with the log. The only module that writes them.
 *
 * Projections whose rows are published are followed together, with one transaction per batch. Those whose next
 * generation is being built (a new version, lost rows) are followed separately, so that they do not delay the others.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import type { EventLog, Recorded } from '../log/event-log.ts'
import type { OnDefect } from './fold.ts'
import { Follower } from './follower.ts'
import type { ProjectorLogger } from './generations.ts'
import { isFromLog, type Model, type Projection, type ReadModels } from './read-models.ts'

/** How far one read model is behind the log. */
export type Lag = {
  readonly model: string
  /** how long it has been behind; 0 when it is up to date */
  readonly seconds: number
  /** events that it could not handle since the process started: a defect, see the log */
  readonly skipped: number
}

export class Projector {
  private readonly skipped = new Map<string, number>()
  private followers: readonly Follower[] = []
  private ignoreRequests: (() => void) | undefined

  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    private readonly projections: readonly Projection[],
    private readonly logger?: ProjectorLogger,
  ) {}

  /**
   * Starts following the log and retries all failures until `stop`.
   *
   * @throws {StoreUnavailable} when the checkpoints can't be read
   */
  async start(): Promise<void> {
    const published = await Promise.all(this.projections.map((model) => this.isPublished(model)))
    const groups = Map.groupBy(this.projections, (_, i) => published[i])
    const { log, readModels, logger } = this
    const onDefect: OnDefect = (projection, event, error) => this.skip(projection, event, error)
    this.followers = [...groups.values()].map(
      (group) => new Follower(log, readModels, group, { logger, onDefect }),
    )
    for (const follower of this.followers) void follower.run()
    this.ignoreRequests = readModels.onCommitRequest?.(() => this.catchUpNow())
  }

  /** Finishes the current batches and stops. */
  async stop(): Promise<void> {
    this.ignoreRequests?.()
    await Promise.all(this.followers.map((follower) => follower.stop()))
  }

  /** Writes the next rows as soon as there are any, because a caller waits for them. */
  catchUpNow(): void {
    for (const follower of this.followers) follower.catchUpNow()
  }

  /** How far each read model is behind. @throws when the log is unavailable */
  async lag(): Promise<Lag[]> {
    const head = (await this.log.head()) ?? 0
    const now = clock.monotonic()
    return this.followers.flatMap((follower) => {
      if (follower.written >= head) follower.behindSince = undefined
      else follower.behindSince ??= now
      const seconds = follower.behindSince === undefined ? 0 : (now - follower.behindSince) / 1000
      return follower.projections.map(({ name }) => ({
        model: name,
        seconds,
        skipped: this.skipped.get(name) ?? 0,
      }))
    })
  }

  /** Whether a model has a current generation, of this log. */
  private async isPublished(model: Model): Promise<boolean> {
    const current = await this.readModels.checkpoint(model)
    return current !== null && (await isFromLog(this.log, current))
  }

  /** One defect must not stop all lists. A rebuild after its repair corrects the rows. */
  private skip(projection: Projection, event: Recorded, error: unknown): void {
    this.skipped.set(projection.name, (this.skipped.get(projection.name) ?? 0) + 1)
    const { stream, revision, type } = event
    this.logger?.error(
      { err: error, model: projection.name, version: projection.version, stream, revision, type },
      'A projection could not handle an event and skipped it. Fix the projection, then run `gleaner rebuild`.',
    )
  }
}
