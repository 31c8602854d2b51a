/**
 * What every event has beside its data.
 *
 * @module
 */

/** Who did something: a key or a person by its id, the operator, or the service by itself. */
export type Actor = `key:${string}` | `person:${string}` | 'operator' | 'service'

/** What stands beside the data of every event; all flat strings. */
export type Metadata = {
  /** request id of the kickoff, the same for all that follows from it */
  readonly $correlationId: string
  /** id of the event or request that led to this one */
  readonly $causationId: string
  readonly account_id: string
  /** who did it; events of before 0.2 lack it */
  readonly actor?: Actor
  /** RFC 3339, UTC: when it was decided */
  readonly at: string
  /** version of the event type, a decimal number */
  readonly v: string
}
