/**
 * The shape of JSON.
 *
 * @module
 */
import { entryPath, fieldPath, nameOrStar } from './names.ts'
import { type Kind, ROOT, type Shape, ShapeBuilder } from './shape.ts'

/** Deeper levels are left out: no plugin reads them, and hostile JSON can have any number. */
const DEEPEST = 60

/**
 * The paths of a JSON value with the kinds of their values. Entries of a list share one path (`lamps[].id`), and so do
 * keys of an object that are ids or other data (`prices.*`).
 *
 * @param json as `JSON.parse` returns it
 */
export function pathsOf(json: unknown): Shape {
  const shape = new ShapeBuilder()
  shape.add(ROOT, null, kindOf(json))
  walk(json, ROOT, 0)
  return shape.end()

  function walk(value: unknown, path: string, depth: number): void {
    if (typeof value !== 'object' || value === null || depth === DEEPEST) return
    const entries: Iterable<[string | number, unknown]> = Array.isArray(value)
      ? value.entries()
      : Object.entries(value)
    for (const [key, each] of entries) {
      const at = typeof key === 'number' ? entryPath(path) : fieldPath(path, nameOrStar(key))
      shape.add(at, path, kindOf(each))
      walk(each, at, depth + 1)
    }
  }
}

/** The kind of a JSON value. */
export function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'list' : (typeof value as Kind)
}
