/**
 * Schemas in plain words: "must be a whole number from 1 to 500".
 *
 * @module
 */
import type { TSchema } from '@sinclair/typebox'
import type { JsonType } from '../plugin/schema/types.ts'

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a text is well-formed Unicode without control characters other than tab and newline. */
export const plainText = (text: string): boolean =>
  text.isWellFormed() && !/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text)

/** The JSON type of a value; a whole number is an `integer` if the schema wants one. */
export function typeOf(value: unknown, schema: TSchema): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value !== 'number') return typeof value as JsonType
  return schema.type === 'integer' && Number.isSafeInteger(value) ? 'integer' : 'number'
}

/** "must be …" for a schema: its `x-must-be`, otherwise a text derived from its keywords. */
export const mustBe = (schema: TSchema): string => `must be ${wanted(schema)}`

function wanted(schema: TSchema): string {
  if (schema['x-must-be'] !== undefined) return schema['x-must-be']
  if (schema.anyOf) return wantedOfUnion(schema.anyOf)
  if ('const' in schema) return JSON.stringify(schema.const)
  switch (schema.type) {
    case 'integer':
      return `a whole number${range(schema.minimum, schema.maximum)}`
    case 'number':
      return `a number${range(schema.minimum, schema.maximum)}`
    case 'string':
      return `text${sizeOf(schema.minLength, schema.maxLength, 'characters')}${schema.pattern === undefined ? '' : ` matching ${schema.pattern}`}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `an array${sizeOf(schema.minItems, schema.maxItems, 'entries')}`
    case 'object':
      return 'an object'
    default:
      return 'a value that its schema allows'
  }
}

function wantedOfUnion(branches: readonly TSchema[]): string {
  const values = branches.filter((branch) => 'const' in branch).map((branch) => String(branch.const))
  const others = [...new Set(branches.filter((branch) => !('const' in branch)).map(wanted))]
  const named = values.length > 0 ? [`${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`] : []
  return [...named, ...others].join(' or ')
}

function sizeOf(least: number | undefined, most: number | undefined, what: string): string {
  if (most !== undefined) return ` of ${least ? `${least} to` : 'at most'} ${most} ${what}`
  return least ? ` of at least ${least} ${what}` : ''
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}
