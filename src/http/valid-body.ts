/**
 * Bodies of the service's own calls, checked against their schemas.
 *
 * @module
 */
import type { Static, TObject } from '@sinclair/typebox'
import { issuesOf } from '../catalogue/check.ts'
import type { Call } from './endpoint.ts'
import { invalid } from './problems.ts'

/**
 * The body of a call; none counts as an empty object.
 *
 * @throws {Problem} 400, 413, 415, or 422 naming each offending field
 */
export async function validBody<S extends TObject>(call: Call, schema: S): Promise<Static<S>> {
  const body = (await call.body()) ?? {}
  const issues = issuesOf(schema, body)
  if (issues.length > 0) throw invalid(issues)
  return body as Static<S>
}
