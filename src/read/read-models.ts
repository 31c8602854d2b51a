/**
 * The read models' port. A projection turns events into rows; a back end keeps the rows of each projection together
 * with the position of the last event they reflect. Read models are a function of the log and of nothing else.
 *
 * @module
 */
import type { DomainEvent, EventType } from '../domain/events.ts'
import type { Position, Recorded } from '../log/event-log.ts'

/** A row: plain JSON. The fields that a list is ordered or filtered by stand at its top level. */
export type Row = { readonly [field: string]: unknown }

/** An event that a projection handles, narrowed to its types. */
export type Handled<T extends EventType> = Omit<Recorded, 'event' | 'type'> & {
  readonly event: DomainEvent<T>
}

/** A read model as its readers and back ends know it. */
export type Model<R extends Row = Row> = {
  readonly name: string
  /** raised with every change of rows or indexes: the new version fills beside the old one */
  readonly version: number
  /**
   * How rows can be listed: by equality of all fields but the last, ordered by the last, which is a number or a text.
   * A row in which one of the fields is null or missing is not in that list.
   */
  readonly indexes: { readonly [name: string]: readonly string[] }
  /** only a type: what its rows are */
  readonly row?: R
}

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

/** Where a projection stands: in which log and at which position. */
export type ProjectedTo = { readonly logId: string; readonly position: Position }

/** New rows of one projection; null deletes. */
export type Changes = {
  readonly model: Model
  /** where it stood before; null: nowhere */
  readonly from: ProjectedTo | null
  readonly to: ProjectedTo
  readonly rows: ReadonlyMap<string, Row | null>
}

export interface ReadModels {
  position(model: Model): Promise<ProjectedTo | null>

  get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined>
  getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]>
  list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]>

  /**
   * Writes rows and positions of several models in one transaction.
   *
   * @returns false, and nothing is written, when a model no longer stands at `from`: another projector was faster
   */
  commit(changes: readonly Changes[]): Promise<boolean>

  /** Forgets rows and position of a model, this version of it. */
  reset(model: Model): Promise<void>

  close(): Promise<void>
}
