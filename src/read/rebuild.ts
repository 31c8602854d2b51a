/**
 * Rebuilds read models by command, beside the generations that are read. A server may run on the same data: its lists
 * stay complete throughout, and its projector continues with the new generations.
 *
 * @module
 */
import type { EventLog, Position } from '../log/event-log.ts'
import { Follower } from './follower.ts'
import type { Projection, ReadModels } from './read-models.ts'

/** The progress of a rebuild. */
export type RebuildProgress = {
  /** events handled so far */
  readonly events: number
  /** position of the last handled event */
  readonly position: Position
  /** position of the last event when the rebuild began; more may arrive during the rebuild */
  readonly head: Position
}

/**
 * Rebuilds read models from the whole log, at least up to the log's head at the start.
 *
 * @param onProgress called after each commit
 * @returns the number of handled events
 * @throws an error of a projection or a store. The rebuild stops there, and the current rows stay. The unfinished
 *   generation is deleted by the next rebuild
 */
export async function rebuild(
  log: EventLog,
  readModels: ReadModels,
  projections: readonly Projection[],
  onProgress?: (progress: RebuildProgress) => void,
): Promise<number> {
  const head = (await log.head()) ?? (0 as Position)
  let events = 0
  const follower = new Follower(log, readModels, projections, {
    isRebuild: true,
    onDefect: (projection, { stream, revision, type }, cause) => {
      throw new Error(`${projection.name} can't handle ${type} of ${stream} at ${revision}`, { cause })
    },
    onCommit: (count, position) => {
      events += count
      onProgress?.({ events, position, head })
    },
  })
  await follower.run()
  return events
}
