/**
 * The shape of an answer: the parts that it has, without their values. Answers of one address have the same shape at any
 * time, unless the site has changed.
 *
 * @module
 */

/** The kind of a part: the type of a JSON value, or an element of a page. */
export type Kind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'list' | 'element'

/** All parts of an answer with the same path. */
export type Part = {
  /** path of the parts that contain them; null for the outermost */
  readonly parent: string | null
  /** how many there are, by kind */
  readonly kinds: ReadonlyMap<Kind, number>
}

/** The parts of an answer by their path, such as `lamps[].price.amount`. The outermost value has the path `$`. */
export type Shape = ReadonlyMap<string, Part>

/** The path of the outermost value. */
export const ROOT = '$'

/** Collects the parts of an answer. */
export class ShapeBuilder {
  private readonly parts = new Map<string, { parent: string | null; kinds: Map<Kind, number> }>()

  /** Counts parts of one path. */
  add(path: string, parent: string | null, kind: Kind, times = 1): void {
    const { kinds } = this.parts.get(path) ?? { kinds: new Map<Kind, number>() }
    this.parts.set(path, { parent, kinds: kinds.set(kind, (kinds.get(kind) ?? 0) + times) })
  }

  /**
   * Counts all parts of another shape.
   *
   * @param within the name of what contains them: the beginning of their paths; default none
   */
  addAll(shape: Shape, within?: string): void {
    const placed = (path: string) => (within === undefined ? path : `${within} ${path}`)
    const outermost = within !== undefined && this.parts.has(within) ? within : null
    for (const [path, { parent, kinds }] of shape) {
      const above = parent === null ? outermost : placed(parent)
      for (const [kind, times] of kinds) this.add(placed(path), above, kind, times)
    }
  }

  end(): Shape {
    return this.parts
  }
}

/** One shape for several answers of the same address. */
export function mergedShape(shapes: readonly Shape[]): Shape {
  const all = new ShapeBuilder()
  for (const shape of shapes) all.addAll(shape)
  return all.end()
}

/** How many parts have this path. */
export const countOf = ({ kinds }: Part): number => [...kinds.values()].reduce((sum, each) => sum + each, 0)

/** How many parts with this path have a value: all but null. */
export const filledOf = (part: Part): number => countOf(part) - (part.kinds.get('null') ?? 0)
