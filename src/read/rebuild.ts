/**
 * Rebuilding read models by command: their next generations are built beside those that are read. With or without a server
 * on the same data: its lists are whole at every moment, and its projector goes on from there.
 *
 * @module
 */
import type { EventLog, Position } from '../log/event-log.ts'
import { Follower } from './follower.ts'
import type { Projection, ReadModels } from './read-models.ts'

/** How far a rebuild is. */
export type RebuildProgress = {
  /** handled so far */
  readonly events: number
  /** of the last one handled */
  readonly position: Position
  /** the last event when it began; more may come meanwhile */
  readonly head: Position
}

/**
 * Makes read models from the whole log, at least up to what was its head when it began.
 *
 * @param onProgress told after each commit
 * @returns how many events it handled
 * @throws what a projection throws on an event, and what the stores throw: it stops there, and the rows that were there
 *   before stay. What it leaves beside them goes with the next rebuild
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
    onCommit: (done) => {
      events += done.events
      onProgress?.({ events, position: done.position, head })
    },
  })
  await follower.run()
  return events
}
