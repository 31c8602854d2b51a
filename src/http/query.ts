/**
 * The query of a request against what its endpoint declares. Nothing is clamped and nothing unknown is passed over.
 *
 * @module
 */
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { issuesOf } from '../catalogue/check.ts'
import type { Endpoint } from './endpoint.ts'
import { invalid } from './problems.ts'

const NONE = new URLSearchParams()

/** Checks the query of a request's URL; made once for each endpoint. */
export type QueryCheck = (url: string) => URLSearchParams

/**
 * How the query of an endpoint is checked.
 *
 * @returns a check that throws {Problem} 422 naming each unknown, repeated or malformed parameter
 */
export function queryCheck({ doc }: Endpoint): QueryCheck {
  const properties: Record<string, TSchema> = {}
  for (const { name, schema } of doc.query ?? []) properties[name] = Type.Optional(schema)
  const schema = Type.Object(properties)
  return (url) => {
    const mark = url.indexOf('?')
    return mark < 0 ? NONE : check(schema, new URLSearchParams(url.slice(mark + 1)))
  }
}

function check(schema: TObject, query: URLSearchParams): URLSearchParams {
  const names = [...query.keys()]
  const repeated = names.filter((name, i) => names.indexOf(name) !== i)
  if (repeated.length > 0) {
    throw invalid([{ pointer: `/${repeated[0]}`, code: 'conflict', detail: 'must be given only once' }])
  }
  const values = names.map((name) => [name, asked(schema.properties[name], query.get(name) ?? '')])
  const issues = issuesOf(schema, Object.fromEntries(values))
  if (issues.length > 0) throw invalid(issues)
  return query
}

/** A parameter is text; where a whole number is wanted and it is written as one, it is taken for it. */
const asked = (schema: TSchema | undefined, text: string): string | number =>
  schema?.type === 'integer' && /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text
