/**
 * The read models' port. A projection turns events into rows; a back end stores the rows of each projection together
 * with the position of the last event that they reflect. Read models are a pure function of the log.
 *
 * @module
 */
import type { DomainEvent, EventType } from '../domain/events.ts'
import type { EventLog, Position, Recorded } from '../log/event-log.ts'

/** A row: plain JSON. The fields by which lists are ordered or filtered must be at its top level. */
export type Row = { readonly [field: string]: unknown }

/** An event that a projection handles, narrowed to its types. */
export type Handled<T extends EventType> = Omit<Recorded, 'event' | 'type'> & {
  readonly event: DomainEvent<T>
}

/** A read model as seen by its readers and back ends. */
export type Model<R extends Row = Row> = {
  readonly name: string
  /** incremented with every change of the rows' shape; the new version is built beside the old one */
  readonly version: number
  /**
   * The lists of rows: filtered by equality of all fields but the last, ordered by the last, a number or a string.
   * A row is not in a list if one of the list's fields is null or missing.
   */
  readonly indexes: { readonly [name: string]: readonly string[] }
  /** denotes the next generation of its rows, see {@link nextOf} */
  readonly next?: boolean
  /** the type of its rows; never set */
  readonly row?: R
}

/** The generation of a model's rows that is being built beside the current one. */
export const nextOf = <M extends Model>(model: M): M => ({ ...model, next: true })

/**
 * Computes a read model: events in, rows out. Pure.
 *
 * An event changes exactly one row, `key(event)`. `apply` returns the new row, the same object to leave the row
 * unchanged, or null to delete it.
 */
export type Projection<R extends Row = Row, T extends EventType = EventType> = Model<R> & {
  readonly types: readonly T[]
  key(event: Handled<T>): string
  /** True for an event that creates its row, which can't exist before. Only saves the look-up. */
  begins?(event: Handled<T>): boolean
  apply(row: R | undefined, event: Handled<T>): R | null
}

/** A query of an index. */
export type ListQuery = {
  /** values of the index's leading fields, in order; all but the last field must be given */
  readonly equals: readonly (string | number)[]
  /** only rows whose last field is after this value, exclusive, in the direction of `order` */
  readonly after?: string | number | undefined
  /** only rows whose last field is less than or equal to this value */
  readonly upTo?: string | number | undefined
  readonly order: 'ascending' | 'descending'
  readonly limit: number
}

/** The fields of the queried index. @throws {TypeError} for an invalid query, a defect */
export function indexFields(
  { name, indexes }: Model,
  index: string,
  { equals }: ListQuery,
): readonly string[] {
  const fields = indexes[index]
  if (!fields) throw new TypeError(`${name} has no index ${index}`)
  if (equals.length !== fields.length - 1)
    throw new TypeError(`${name}.${index} needs ${fields.length - 1} values`)
  return fields
}

/** The position up to which the rows of a generation reflect the log. */
export type Checkpoint = {
  readonly logId: string
  /** position of the last event; 0 before the first one */
  readonly position: Position
  /** identifies the generation: cached rows of another generation are invalid */
  readonly generation: number
}

/** Whether a checkpoint belongs to the current log, and not to another log or to events lost by restoring a backup. */
export const isFromLog = async (
  log: Pick<EventLog, 'id' | 'knows'>,
  { logId, position }: Checkpoint,
): Promise<boolean> => logId === log.id && (position === 0 || (await log.knows(position)))

/** The position of a checkpoint in a log; -1 without a checkpoint, or if it is of another log. */
export const reachedIn = (log: Pick<EventLog, 'id'>, at: Checkpoint | null): number =>
  at?.logId === log.id ? at.position : -1

/** Whether two checkpoints are the same. */
export const isSame = (a: Checkpoint | null, b: Checkpoint | null): boolean =>
  a?.logId === b?.logId && a?.position === b?.position && a?.generation === b?.generation

/** New rows of one generation; null deletes. */
export type Changes = {
  /** the current generation, or {@link nextOf} it */
  readonly model: Model
  /** its expected checkpoint */
  readonly from: Checkpoint
  /** its new checkpoint, of the same generation */
  readonly to: Checkpoint
  readonly rows: ReadonlyMap<string, Row | null>
}

/**
 * Rows of read models, in generations. Each version of a model has one current generation, which is read. A next
 * generation may be built beside it and replace it:
 *
 * | step      | written                                     | after a crash directly after the step                  |
 * | --------- | ------------------------------------------- | ------------------------------------------------------ |
 * | `begin`   | an empty next generation, checkpoint at 0   | readers see no change; the next builder continues here |
 * | `commit`  | rows and the checkpoint, together           | as above; the next builder continues at the checkpoint |
 * | `publish` | the next generation is current, in one step | readers see the new rows; a projector continues there  |
 * | –         | the replaced generation is dropped          | its remains are deleted by the next cleanup            |
 *
 * Every rebuild takes these steps: of a model that was never built, a new version, lost rows, a checkpoint of another
 * log, and `gleaner rebuild`.
 */
export interface ReadModels {
  /** The checkpoint of the current generation, or of {@link nextOf} it; null if the generation does not exist. */
  checkpoint(model: Model): Promise<Checkpoint | null>

  get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined>
  getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]>
  list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]>
  /** The number of rows that {@link list} would return. The rows are not read. */
  count(model: Model, index: string, query: ListQuery): Promise<number>

  /**
   * Begins the next generation of a model, empty, from the start of a log. An existing next generation is kept: several
   * builders may work on it, and only one of them succeeds with each commit.
   *
   * @param anew drops an existing next generation
   * @returns the checkpoint of the next generation
   */
  begin(model: Model, logId: string, anew?: boolean): Promise<Checkpoint>

  /**
   * Writes rows and checkpoints of several models, atomically for each model: readers never see a part.
   *
   * @returns false when a checkpoint is no longer `from`, because another projector was faster. Nothing is written for
   *   that model. Whether the other models are written depends on the back end: read their checkpoints
   * @param before the commit before this one, on whose rows these rows build: unless it succeeds, nothing is written.
   *   The checkpoint does not suffice, because another projector may have written that one
   */
  commit(changes: readonly Changes[], before?: Promise<boolean>): Promise<boolean>

  /**
   * Makes the next generation of a model the current one, in one step for its readers, and drops the replaced one.
   *
   * @param anyway publishes it even if it is behind the current generation
   * @returns false, without any change, when the next generation is behind the current one. True also when there is no
   *   next generation, because another builder has published it
   */
  publish(model: Model, anyway?: boolean): Promise<boolean>

  /**
   * Asks the projectors of other processes to commit at once the events that they have gathered, because a caller waits
   * for the rows. Best effort: without it the rows come a fraction of a second later. Implemented only where other
   * processes may write the rows.
   */
  requestCommit?(): void
  /** @param listener called when a process requests a commit @returns a function that ends the calls */
  onCommitRequest?(listener: () => void): () => void

  close(): Promise<void>
}
