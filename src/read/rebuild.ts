/**
 * Making read models anew by command: forgets their rows and replays the log. With or without a server on the same
 * data; one that runs stands by meanwhile and goes on after it.
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
  /** the last event that it will handle */
  readonly head: Position
}

const BATCH = 20_000

/**
 * Empties the read models and fills them up to what was the head of the log when it began.
 *
 * @param onProgress told after each commit
 * @returns how many events it handled
 * @throws what a projection throws on an event, and what the stores throw: it stops there
 */
export async function rebuild(
  log: EventLog,
  readModels: ReadModels,
  projections: readonly Projection[],
  onProgress?: (progress: RebuildProgress) => void,
): Promise<number> {
  const head = await log.head()
  for (const projection of projections) await readModels.reset(projection)
  if (head === null) return 0
  let events = 0
  const follower = new Follower(log, readModels, projections, {
    batch: BATCH,
    strict: true,
    onDefect: (projection, { stream, revision, type }, cause) => {
      throw new Error(`${projection.name} can't handle ${type} of ${stream} at ${revision}`, { cause })
    },
    onCommit: (done) => {
      events += done.events
      onProgress?.({ events, position: done.position, head })
    },
  })
  const running = follower.run()
  await Promise.race([follower.reached(head), running])
  await follower.stop()
  return events
}
