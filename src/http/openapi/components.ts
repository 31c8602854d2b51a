/**
 * Schemas as the service's documents show them: plain JSON Schema 2020-12. A schema with an `$id` is one of the components,
 * and is referred to everywhere else.
 *
 * @module
 */

/** A JSON Schema as plain JSON. */
export type Schema = { readonly [keyword: string]: unknown }

export class Components {
  private readonly found = new Map<string, Schema>()

  /** Everything that was referred to so far, in alphabetical order. */
  get schemas(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.found].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** A schema for a document; one with an `$id` becomes a reference. */
  schema(source: object): Schema {
    const { $id: id } = source as { $id?: unknown }
    if (typeof id !== 'string') return this.copy(source)
    if (!this.found.has(id)) {
      this.found.set(id, {})
      this.found.set(id, this.copy(source))
    }
    return { $ref: `#/components/schemas/${id}` }
  }

  private copy(source: object): Schema {
    const out: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(source)) {
      if (keyword === '$id' || keyword === '$schema' || keyword.startsWith('x-')) continue
      out[keyword] = KEPT.has(keyword) ? value : this.part(keyword, value)
    }
    return asChoice(out)
  }

  private part(keyword: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => (isObject(each) ? this.schema(each) : each))
    if (!isObject(value)) return value
    if (!BY_NAME.has(keyword)) return this.schema(value)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, isObject(each) ? this.schema(each) : each]),
    )
  }
}

/** Keywords whose values are not schemas, whatever they look like. */
const KEPT: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required'])
/** Keywords that hold schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs'])

/** Fixed values of one type read better as `enum` than as a list of `const`, and generators handle them better. */
function asChoice(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length === 0) return schema
  const [first] = anyOf as Schema[]
  const fixed = (anyOf as Schema[]).every((each) => 'const' in each && each.type === first?.type)
  return fixed ? { type: first?.type, enum: (anyOf as Schema[]).map((each) => each.const), ...rest } : schema
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
