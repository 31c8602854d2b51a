/**
 * Counts the fields that items fill in, which reveals a changed source before its runs fail.
 *
 * @module
 */

/**
 * The number of items, and for each field the number of those that could have it, and that have a value. An item that is
 * of another kind, or whose object is null, can't have the field.
 */
export type Fill = {
  readonly items: number
  readonly possible: readonly number[]
  readonly filled: readonly number[]
}

type Values = Readonly<Record<string, unknown>>

/** Null, a missing field and an empty list are no values; false, 0 and an empty text are. */
const hasValue = (value: unknown): boolean =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)

export class Filling {
  private items = 0
  private readonly possible: number[]
  private readonly filled: number[]
  private readonly paths: readonly (readonly [name: string, part: string | undefined])[]

  /**
   * @param fields see `fieldsOf`
   * @param areSeveralKinds items lack the fields of other kinds
   */
  constructor(
    fields: readonly string[],
    private readonly areSeveralKinds = false,
  ) {
    this.paths = fields.map((field) => {
      const [name = '', part] = field.split('.')
      return [name, part]
    })
    this.possible = fields.map(() => 0)
    this.filled = fields.map(() => 0)
  }

  /** @param item an item that matches its schema; of a task without items, its result */
  add(item: Values): void {
    this.items++
    const { paths } = this
    for (let i = 0; i < paths.length; i++) {
      const [name, part] = paths[i]!
      const value = item[name]
      if (part !== undefined) this.addPart(i, part, value)
      else if (!this.areSeveralKinds || Object.hasOwn(item, name)) this.count(i, value)
    }
  }

  /** The task starts again: its items so far do not count. */
  clear(): void {
    this.items = 0
    this.possible.fill(0)
    this.filled.fill(0)
  }

  /** The counts so far; null without items. */
  get sums(): Fill | null {
    const { items, possible, filled } = this
    return items === 0 ? null : { items, possible, filled }
  }

  private addPart(i: number, part: string, value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.addPart(i, part, each)
    else if (typeof value === 'object' && value !== null) this.count(i, (value as Values)[part])
  }

  private count(i: number, value: unknown): void {
    this.possible[i]!++
    if (hasValue(value)) this.filled[i]!++
  }
}

/** The share of items with a value by field, in thousandths; null for a field that no item could have. */
export const sharesOf = ({ possible, filled }: Fill): (number | null)[] =>
  possible.map((most, i) => (most === 0 ? null : Math.min(1000, Math.round((1000 * filled[i]!) / most))))
