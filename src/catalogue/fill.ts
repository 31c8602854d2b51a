/**
 * How the items of recordings are filled, from `fill.json` beside a plugin's `source.ts`.
 *
 * @module
 */

/** The fill of the items of a task's recordings. */
export type DocumentedFill = {
  /** the number of these items */
  readonly items: number
  /** for each field, thousandths of the items with a value */
  readonly fields: { readonly [field: string]: number }
}
