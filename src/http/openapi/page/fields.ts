/**
 * Fields of an object as a table: name, type, bounds, meaning.
 *
 * @module
 */

import { Html, html, words } from '../../../html.ts'
import type { Schema } from '../components.ts'

/** A row of the table. */
export type Field = {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly description?: string
}

const list = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value : [])

/** The fields of an object's schema; nested ones follow their parent as `parent.name`. */
export function fieldsOf(schema: Schema, prefix = ''): Field[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([key, property]) => {
    const name = `${prefix}${key}`
    const inner = property.properties
      ? fieldsOf(property, `${name}.`)
      : fieldsOf((property.items ?? {}) as Schema, `${name}[].`)
    return [{ name, schema: property, required: required.has(key) }, ...inner]
  })
}

/** @param kinds required fields are marked in requests, not in answers */
export function fieldTable(fields: readonly Field[], kinds: 'request' | 'answer'): Html {
  if (fields.length === 0) return new Html('')
  const rows = fields.map(({ name, schema, required, description = schema.description }) => {
    const must = kinds === 'request' && required && html` <span class="must">required</span>`
    return html`<tr><th scope="row"><code>${name}</code>${must}</th><td><span class="type">${typeOf(schema)}</span>${description !== undefined && html`<br>${words(String(description))}`}${bounds(schema)}</td></tr>`
  })
  return html`<div class="scroll"><table class="fields"><tbody>${rows}</tbody></table></div>`
}

/** The type of a schema in a few words; a component is a link to where it is described. */
export function typeOf(schema: Schema): Html {
  const { $ref, type, enum: values, items, format } = schema
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return html`<a href="#schema-${name}">${name}</a>`
  }
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`
  if (Array.isArray(values)) return html`${values.map((value) => JSON.stringify(value)).join(' | ')}`
  const branches = list(schema.anyOf)
  if (branches.length > 0)
    return html`${branches.map((branch, i) => html`${i > 0 && ' | '}${typeOf(branch)}`)}`
  if (type === 'array') return html`array of ${typeOf((items ?? {}) as Schema)}`
  if (Array.isArray(type)) return html`${type.join(' | ')}`
  return html`${String(type ?? 'any')}${format !== undefined && ` (${format})`}`
}

function bounds(schema: Schema): Html {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema
  const said = [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(undefined, maxItems, ' entries'),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((each) => each !== undefined)
  return said.length === 0 ? new Html('') : html` <span class="bounds">${said.join(', ')}</span>`
}

function range(from: unknown, to: unknown, unit: string): string | undefined {
  if (from === undefined && to === undefined) return undefined
  if (to === undefined) return Number(from) === 0 ? undefined : `${from} or more${unit}`
  return from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`
}
