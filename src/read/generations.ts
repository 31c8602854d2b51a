/**
 * Chooses the generations that a group of models follows, and keeps their checkpoints.
 *
 * A model is rebuilt if its current generation is missing or its checkpoint is not from this log: its next generation
 * is filled from the start of the log and published when it has caught up, see {@link ReadModels}.
 *
 * @module
 */
import type { EventLog } from '../log/event-log.ts'
import type { Rows } from './fold.ts'
import {
  type Changes,
  type Checkpoint,
  isFromLog,
  isSame,
  nextOf,
  type Projection,
  type ReadModels,
} from './read-models.ts'

/** The logger interface that the projector needs. The service's logger implements it. */
export type ProjectorLogger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A projection, or its next generation while that is built, and its checkpoint. */
type Followed = { readonly model: Projection; at: Checkpoint }

export class Generations {
  private followed: readonly Followed[] = []
  /** the log of the checkpoints */
  private logId = ''
  private isFirst = true

  /** @param isRebuild builds a next generation of every model regardless of its state; drops models once published */
  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    public projections: readonly Projection[],
    private readonly isRebuild: boolean,
    private readonly logger: ProjectorLogger | undefined,
  ) {}

  /** Whether a followed generation is still hidden from readers. */
  get isBuilding(): boolean {
    return this.followed.length === 0 || this.followed.some(({ model }) => model.next)
  }

  /** The followed generations. */
  get models(): readonly Projection[] {
    return this.followed.map(({ model }) => model)
  }

  /** The positions of their checkpoints. */
  get positions(): readonly number[] {
    return this.followed.map(({ at }) => at.position)
  }

  /** Determines the generations to follow and their checkpoints, and begins the missing generations. */
  async look(): Promise<void> {
    this.logId = this.log.id
    this.followed = await Promise.all(this.projections.map((projection) => this.generationOf(projection)))
    this.isFirst = false
  }

  private async generationOf(projection: Projection): Promise<Followed> {
    if (!this.isRebuild) {
      const current = await this.readModels.checkpoint(projection)
      if (current && (await isFromLog(this.log, current))) return { model: projection, at: current }
      if (current)
        this.logger?.warn(
          { model: projection.name, version: projection.version, checkpoint: current, log: this.logId },
          "The read model's checkpoint is not from this log; rebuilding it.",
        )
    }
    const begin = (anew: boolean) => this.readModels.begin(projection, this.logId, anew)
    const begun = await begin(this.isRebuild && this.isFirst)
    return { model: nextOf(projection), at: (await isFromLog(this.log, begun)) ? begun : await begin(true) }
  }

  /** Reads the checkpoints from the store. */
  read(): Promise<(Checkpoint | null)[]> {
    return Promise.all(this.models.map((model) => this.readModels.checkpoint(model)))
  }

  /** @returns false when another process moved a checkpoint, or a checkpoint was lost */
  async areUnmoved(): Promise<boolean> {
    const now = await this.read()
    return now.every((at, i) => isSame(at, this.followed[i]?.at ?? null))
  }

  /**
   * Writes rows and moves the checkpoints up to a position, after the commit `before`.
   *
   * @returns false when another projector was faster
   */
  async commit(
    position: Checkpoint['position'],
    rows: readonly Rows[],
    before: Promise<boolean>,
  ): Promise<boolean> {
    // Rows derived from a log must not be written after the log was replaced.
    if (this.log.id !== this.logId) return false
    const changes: Changes[] = []
    for (const [i, one] of this.followed.entries()) {
      const from = one.at
      // A model whose checkpoint is further ahead was given none of these events.
      if (from.position >= position) continue
      one.at = { ...from, position }
      changes.push({ model: one.model, from, to: one.at, rows: rows[i] ?? new Map() })
    }
    return this.readModels.commit(changes, before)
  }

  /** Publishes the built generations, except those that are still behind the current one and have little left to do. */
  async publish(): Promise<void> {
    const published = await Promise.all(
      this.projections.map((projection, i) => !this.followed[i]?.model.next || this.publishOne(projection)),
    )
    if (this.isRebuild) this.projections = this.projections.filter((_, i) => !published[i])
  }

  private async publishOne(projection: Projection): Promise<boolean> {
    const current = await this.readModels.checkpoint(projection)
    const isWorthless = current !== null && !(await isFromLog(this.log, current))
    return this.readModels.publish(projection, isWorthless)
  }
}
