/**
 * Making read models anew by command: their rows are made beside those that are read, and take their place in one step.
 * With or without a server on the same data: its lists are whole at every moment, and its projector goes on from there.
 *
 * @module
 */
import type { EventLog, Position } from '../log/event-log.ts'
import { Follower } from './follower.ts'
import { draftOf, type Projection, type ReadModels } from './read-models.ts'

/** How far a rebuild is. */
export type RebuildProgress = {
  /** handled so far */
  readonly events: number
  /** of the last one handled */
  readonly position: Position
  /** the last event that it will handle, or one before it when more come meanwhile */
  readonly head: Position
}

/** Events of one commit: a back end is not to be held up by one for longer than a request may be. */
const BATCH = 2500

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
  for (const projection of projections) await readModels.reset(draftOf(projection))
  let events = 0
  let left = projections
  // A projector that is at work may be further by now: then the rest of the way again, which is short.
  while (left.length > 0) {
    const head = await log.head()
    if (head === null) {
      for (const projection of left) await readModels.reset(projection)
      return events
    }
    events += await fill(log, readModels, left, head, (done, position) =>
      onProgress?.({ events: events + done, position, head }),
    )
    left = await notReplaced(readModels, left)
  }
  return events
}

/** Brings the drafts up to a position. */
async function fill(
  log: EventLog,
  readModels: ReadModels,
  projections: readonly Projection[],
  head: Position,
  onCommit: (events: number, position: Position) => void,
): Promise<number> {
  let events = 0
  const follower = new Follower(log, readModels, projections.map(draftOf), {
    batch: BATCH,
    strict: true,
    onDefect: (projection, { stream, revision, type }, cause) => {
      throw new Error(`${projection.name} can't handle ${type} of ${stream} at ${revision}`, { cause })
    },
    onCommit: (done) => {
      events += done.events
      onCommit(events, done.position)
    },
  })
  const running = follower.run()
  await Promise.race([follower.reached(head), running])
  await follower.stop()
  return events
}

async function notReplaced(
  readModels: ReadModels,
  projections: readonly Projection[],
): Promise<Projection[]> {
  const left: Projection[] = []
  for (const projection of projections) if (!(await readModels.replace(projection))) left.push(projection)
  return left
}
