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
  /** rows beside the model's own, see {@link draftOf} */
  readonly draft?: boolean
  /** only a type: what its rows are */
  readonly row?: R
}

/** A model's rows as they are made anew, beside those that are read: {@link ReadModels.replace} puts them in their place. */
export const draftOf = <M extends Model>(model: M): M => ({ ...model, draft: true })

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
export type ProjectedTo = {
  readonly logId: string
  readonly position: Position
  /**
   * Which build of its rows it is: another one whenever they begin anew or are replaced. Rows that are remembered from
   * another build mean nothing
   */
  readonly build?: number
}

/** Whether two say the same place. */
export const isSame = (a: ProjectedTo | null, b: ProjectedTo | null): boolean =>
  a?.logId === b?.logId && a?.position === b?.position && (a?.build ?? 0) === (b?.build ?? 0)

/** The position that all of several models have reached; -1: the start. */
export const lowest = (standing: readonly (ProjectedTo | null)[]): number =>
  standing.length === 0 ? -1 : Math.min(...standing.map((at) => at?.position ?? -1))

/** Of rows that begin anew: who has seen them before, and somebody else's since, must see that they are others. */
export const newBuild = (): number => 1 + Math.floor(Math.random() * 2 ** 31)

/** Where a model that stood at `from` stands after a commit: its build stays. */
export const builtOn = (from: ProjectedTo | null, to: ProjectedTo): ProjectedTo =>
  from ? { ...to, build: from.build ?? 0 } : to

/** New rows of one projection; null deletes. */
export type Changes = {
  readonly model: Model
  /** where it stood before; null: nowhere */
  readonly from: ProjectedTo | null
  /** where it stands then; its build stays, and is new where it stood nowhere */
  readonly to: ProjectedTo
  readonly rows: ReadonlyMap<string, Row | null>
}

export interface ReadModels {
  position(model: Model): Promise<ProjectedTo | null>

  get<R extends Row>(model: Model<R>, key: string): Promise<R | undefined>
  getMany<R extends Row>(model: Model<R>, keys: readonly string[]): Promise<(R | undefined)[]>
  list<R extends Row>(model: Model<R>, index: string, query: ListQuery): Promise<R[]>

  /**
   * Writes rows and positions of several models: those of one model together or not at all. Readers never see a part.
   *
   * @returns false when a model no longer stands at `from`: another projector was faster. Nothing is written of that
   *   model; of the others each is written or not, depending on the back end: look where they stand
   */
  commit(changes: readonly Changes[]): Promise<boolean>

  /** Forgets rows and position of a model, this version of it. */
  reset(model: Model): Promise<void>

  /**
   * Puts the rows and the position of a model's draft in the place of its own, in one step for its readers.
   *
   * @returns false, and nothing is changed, when the draft stands nowhere or has not reached where the model stands
   */
  replace(model: Model): Promise<boolean>

  close(): Promise<void>
}
