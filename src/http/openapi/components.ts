/**
 * Schemas for the service's documents. A schema with an `$id` becomes a component, and is referenced everywhere else.
 *
 * @module
 */
import { plain } from '../../catalogue/schema.ts'

/** A JSON Schema as plain JSON. */
export type Schema = { readonly [keyword: string]: unknown }

export class Components {
  private readonly byId = new Map<string, Schema>()

  /** All schemas referenced so far, in alphabetical order. */
  get schemas(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.byId].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Converts a schema for a document. A schema with an `$id` becomes a reference. */
  schema(source: object): Schema {
    return this.refer(source) ?? plain(source, this.refer)
  }

  private readonly refer = (source: { readonly $id?: string }): Schema | undefined => {
    const { $id: id } = source
    if (typeof id !== 'string') return undefined
    if (!this.byId.has(id)) {
      this.byId.set(id, {})
      this.byId.set(id, plain(source, this.refer))
    }
    return { $ref: `#/components/schemas/${id}` }
  }
}

/** Makes a component name: `ForumCommunityHot` for `forum.community.hot`. */
export const pascal = (key: string): string =>
  key.replaceAll(/(?:^|[^a-z0-9]+)([a-z0-9])/g, (_, first: string) => first.toUpperCase())
