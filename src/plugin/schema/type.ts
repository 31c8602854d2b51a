/**
 * The schema builder: TypeBox, re-exported so that a plugin needs no dependency.
 *
 * @module
 */
import type { TSchema as TypeBoxSchema, Static as TypeBoxStatic } from '@sinclair/typebox'
import { Type as TypeBoxType } from '@sinclair/typebox'

/**
 * Builds schemas (TypeBox).
 *
 * @example
 * const Lamp = Type.Object({ id: Type.String(), watts: Type.Integer({ minimum: 1 }) })
 * issuesOf(Lamp, { id: '7', watts: 0 })[0]?.detail // => 'must be a whole number of at least 1'
 */
export const Type: typeof TypeBoxType = TypeBoxType

/**
 * The type of a schema's values.
 *
 * @example
 * const Lamp = Type.Object({ id: Type.String() })
 * const lamp: Static<typeof Lamp> = { id: '7' }
 * lamp.id // => '7'
 */
export type Static<Schema extends TypeBoxSchema> = TypeBoxStatic<Schema>

/**
 * Any schema.
 *
 * @example
 * const fields: Record<string, TSchema> = { id: Type.String(), watts: Type.Integer() }
 * Object.keys(fields) // => ['id', 'watts']
 */
export type TSchema = TypeBoxSchema
