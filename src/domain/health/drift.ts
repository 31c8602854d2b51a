/**
 * Fields that lost their values though runs succeed.
 *
 * @module
 */

/** A field whose values got lost, with the share of items that have a value, from 0 to 1. */
export type Drift = {
  /** a nested field with a dot: `about.icon_url` */
  readonly field: string
  /** what is usual: see `baselineOf` */
  readonly was: number
  /** in the latest runs */
  readonly now: number
}
