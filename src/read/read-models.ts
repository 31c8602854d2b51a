/**
 * The read models' port. A projection turns events into rows; a back end keeps the rows of each projection together
 * with the position of the last event they reflect. Read models are a function of the log and of nothing else.
 *
 * @module
 */
import type { DomainEvent, EventType } from '../domain/events.ts'
import type { EventLog, Position, Recorded } from '../log/event-log.ts'

/** A row: plain JSON. The fields that a list is ordered or filtered by stand at its top level. */
export type Row = { readonly [field: string]: unknown }

/** An event that a projection handles, narrowed to its types. */
export type Handled<T extends EventType> = Omit<Recorded, 'event' | 'type'> & {
  readonly event: DomainEvent<T>
}

/** A read model as its readers and back ends know it. */
export type Model<R extends Row = Row> = {
  readonly name: string
  /** raised with every change of rows: those of the new version are built beside those of the old one */
  readonly version: number
  /**
   * How rows can be listed: by equality of all fields but the last, ordered by the last, which is a number or a text.
   * A row in which one of the fields is null or missing is not in that list.
   */
  readonly indexes: { readonly [name: string]: readonly string[] }
  /** stands for the next generation of its rows, see {@link nextOf} */
  readonly next?: boolean
  /** only a type: what its rows are */
  readonly row?: R
}

/** The generation of a model's rows that is being built beside the one that is read. */
export const nextOf = <M extends Model>(model: M): M => ({ ...model, next: true })

/**
 * How a read model is made: events in, rows out. Pure.
 *
 * An event changes exactly one row, `key(event)`; `apply` returns the new row, the same one to leave it, or null to
 * delete it.
 */
export type Projection<R extends Row = Row, T extends EventType = EventType> = Model<R> & {
  readonly types: readonly T[]
  key(event: Handled<T>): string
  /** True for an event that begins its row: none is there before it. It saves the look-up, and nothing else. */
  begins?(event: Handled<T>): boolean
  apply(row: R | undefined, event: Handled<T>): R | null
}

/** A question to an index. */
export type ListQuery = {
  /** values of the index's leading fields, in order; all but the last field must be given */
  readonly equals: readonly (string | number)[]
  /** only rows whose last field is beyond this one, in the direction of `order`; excluded itself */
  readonly after?: string | number | undefined
  /** only rows whose last field is at or before this one */
  readonly upTo?: string | number | undefined
  readonly order: 'ascending' | 'descending'
  readonly limit: number
}

/** The fields of the index that a question is for. @throws {TypeError} for a question that can't be asked, a defect */
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

/** Up to where the rows of a generation reflect the log. */
export type Checkpoint = {
  readonly logId: string
  /** of the last event; 0 before the first one */
  readonly position: Position
  /** which generation it is: rows that are remembered of another one mean nothing */
  readonly generation: number
}

/** Whether a checkpoint is from a log as it is now, and not from another one or from what a backup of it lacks. */
export const isFromLog = async (
  log: Pick<EventLog, 'id' | 'knows'>,
  { logId, position }: Checkpoint,
): Promise<boolean> => logId === log.id && (position === 0 || (await log.knows(position)))

/** Up to where a checkpoint reflects a log; -1 where there is none, or one of another log. */
export const reachedIn = (log: Pick<EventLog, 'id'>, at: Checkpoint | null): number =>
  at?.logId === log.id ? at.position : -1

/** Whether two checkpoints are the same. */
export const isSame = (a: Checkpoint | null, b: Checkpoint | null): boolean =>
  a?.logId === b?.logId && a?.position === b?.position && a?.generation === b?.generation

/** New rows of one generation; null deletes. */
export type Changes = {
  /** the one that is read, or {@link nextOf} it */
  readonly model: Model
  /** its checkpoint before */
  readonly from: Checkpoint
  /** its checkpoint after, of the same generation */
  readonly to: Checkpoint
  readonly rows: ReadonlyMap<string, Row | null>
}

/**
 * Rows of read models, in generations. Of each version of a model one generation is read; it is the current one. A next
 * one may be built beside it and take its place:
 *
 * | step      | what is written                                       | after a crash right behind it                          |
 * | --------- | ----------------------------------------------------- | ------------------------------------------------------ |
 * | `begin`   | an empty next generation, its checkpoint at 0         | readers see no change; whoever builds next goes on here |
 * | `commit`  | rows and the checkpoint, together                     | the same: the next builder goes on at the checkpoint   |
 * | `publish` | the next generation is current, in one step           | readers see the new rows, and a projector goes on there |
 * | –         | the generation that was current is dropped            | what is left of it goes when the store is next tidied  |
 *
 * All that needs new rows takes these steps: a model that was never built, another version of it, rows that were lost, a
 * checkpoint of another log, and `gleaner rebuild`.
 */
export interface ReadModels {
  /** Of the current generation, or of {@link nextOf} it; null where there is none. */
  checkpoint(model: Model): Promise<Checkpoint | null>

  get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined>
  getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]>
  list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]>

  /**
   * Begins the next generation of a model, empty, from the start of a log. One that is there already is kept and built by
   * several: each commit is one builder's alone.
   *
   * @param anew drops what is there
   * @returns its checkpoint
   */
  begin(model: Model, logId: string, anew?: boolean): Promise<Checkpoint>

  /**
   * Writes rows and checkpoints of several models: those of one model together or not at all. Readers never see a part.
   *
   * @returns false when a checkpoint is not `from` any more: another projector was faster. Nothing is written of that
   *   model; of the others each is written or not, depending on the back end: look at their checkpoints
   */
  commit(changes: readonly Changes[]): Promise<boolean>

  /**
   * Makes the next generation of a model the current one, in one step for its readers, and drops the one before.
   *
   * @param anyway also when it is behind the current one
   * @returns false, and nothing is changed, when it is behind the current one. True also where there is no next one:
   *   another builder has published it
   */
  publish(model: Model, anyway?: boolean): Promise<boolean>

  close(): Promise<void>
}
