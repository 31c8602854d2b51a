/**
 * Which generations of a group's models are followed, and their checkpoints.
 *
 * A model whose current generation is missing, or whose checkpoint is not from this log, is built: its next generation is
 * filled from the start of the log and published when it has caught up, see {@link ReadModels}.
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
  type Model,
  nextOf,
  type Projection,
  type ReadModels,
} from './read-models.ts'

/** What the log of the process must offer; the service's logger does. */
export type ProjectorLogger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export class Generations {
  /** each projection, or the next generation of it */
  followed: readonly Projection[] = []
  private checkpoints: readonly Checkpoint[] = []
  /** the log that they are of */
  private logId = ''
  private isFirst = true

  /** @param isRebuild builds a next generation of every model, whatever there is, and forgets models that are done */
  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    public projections: readonly Projection[],
    private readonly isRebuild: boolean,
    private readonly logger: ProjectorLogger | undefined,
  ) {}

  /** Whether readers do not see yet what is followed. */
  get isBuilding(): boolean {
    return this.followed.length === 0 || this.followed.some(({ next }) => next)
  }

  /** The positions of the checkpoints. */
  get positions(): readonly number[] {
    return this.checkpoints.map(({ position }) => position)
  }

  indexOf({ name, version }: Model): number {
    return this.projections.findIndex((one) => one.name === name && one.version === version)
  }

  /** Finds out which generations to follow and from where, and begins those that are missing. */
  async look(): Promise<void> {
    this.logId = this.log.id
    const found = await Promise.all(this.projections.map((projection) => this.generationOf(projection)))
    this.isFirst = false
    this.followed = found.map(([followed]) => followed)
    this.checkpoints = found.map(([, checkpoint]) => checkpoint)
  }

  private async generationOf(projection: Projection): Promise<readonly [Projection, Checkpoint]> {
    if (!this.isRebuild) {
      const current = await this.readModels.checkpoint(projection)
      if (current && (await isFromLog(this.log, current))) return [projection, current]
      if (current)
        this.logger?.warn(
          { model: projection.name, version: projection.version, checkpoint: current, log: this.logId },
          "The read model's checkpoint is not from this log; rebuilding it.",
        )
    }
    const begin = (anew: boolean) => this.readModels.begin(projection, this.logId, anew)
    const begun = await begin(this.isRebuild && this.isFirst)
    return [nextOf(projection), (await isFromLog(this.log, begun)) ? begun : await begin(true)]
  }

  /** The checkpoints as they are now. */
  read(): Promise<(Checkpoint | null)[]> {
    return Promise.all(this.followed.map((model) => this.readModels.checkpoint(model)))
  }

  /** @returns false when somebody has moved a checkpoint, or it was lost */
  async areUnmoved(): Promise<boolean> {
    const now = await this.read()
    return now.every((at, i) => isSame(at, this.checkpoints[i] ?? null))
  }

  /** Writes rows and moves the checkpoints up to a position. @returns false when another projector was faster */
  async commit(position: Checkpoint['position'], rows: readonly Rows[]): Promise<boolean> {
    // What was read from a log is not written after another one has taken its place.
    if (this.log.id !== this.logId) return false
    const moved = this.checkpoints.map((from) => (from.position < position ? { ...from, position } : from))
    const changes: Changes[] = []
    for (const [i, model] of this.followed.entries()) {
      const [from, to] = [this.checkpoints[i], moved[i]]
      // One that is further already saw none of these events.
      if (from && to && from !== to) changes.push({ model, from, to, rows: rows[i] ?? new Map() })
    }
    if (!(await this.readModels.commit(changes))) return false
    this.checkpoints = moved
    return true
  }

  /** Makes what was built current. What is behind the rows that are read is not: it has little way left. */
  async publish(): Promise<void> {
    const published = await Promise.all(
      this.projections.map((projection, i) => !this.followed[i]?.next || this.publishOne(projection)),
    )
    if (this.isRebuild) this.projections = this.projections.filter((_, i) => !published[i])
  }

  private async publishOne(projection: Projection): Promise<boolean> {
    const current = await this.readModels.checkpoint(projection)
    const isWorthless = current !== null && !(await isFromLog(this.log, current))
    return this.readModels.publish(projection, isWorthless)
  }
}
