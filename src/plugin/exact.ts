/**
 * JSON whose ids are numbers beyond 2^53.
 *
 * @module
 */
import { SourceChanged } from './errors.ts'

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** JSON.parse tells a reviver how a number was written; TypeScript does not know of it yet. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown

/**
 * Reads JSON and gives whole numbers beyond 2^53, of which JSON.parse loses digits, as the texts that they were written
 * as; `idOrNull` takes both. It takes a few times as long as `reply.json()`, so it is for sources that have such numbers.
 *
 * @throws {SourceChanged} when it is no JSON, or nested so deep that nobody could write it again
 * @example
 * exactJson('{"pk": 2273581388251073154, "likes": 7}') // => { pk: '2273581388251073154', likes: 7 }
 */
export function exactJson(text: string): unknown {
  try {
    return parse(text, (_, value, { source }) => (isInexact(value, source) ? source : value))
  } catch {
    throw new SourceChanged('the answer is no JSON')
  }
}

const isInexact = (value: unknown, source: string | undefined): boolean =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
