/**
 * What is searched: models with bounds for every `npm test`, with larger ones for `npm run search`, and with planted bugs.
 *
 * @module
 */
import { type Model, type Searched, search } from './engine.ts'

export type Search = {
  /** the bounds, or the bug */
  readonly name: string
  search(): Searched
}

export type Room = {
  readonly name: string
  readonly small: readonly Search[]
  readonly large: readonly Search[]
  /** each is the model with one wrong decision; `finds`: what the search must say of it */
  readonly planted: readonly (Search & { readonly finds: RegExp })[]
}

export const searchOf = <State extends object>(name: string, model: () => Model<State>): Search => ({
  name,
  search: () => search(model()),
})

/** A number of things, for bounds. */
export const many = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`

/** One line of what was found. */
export function told(name: string, { states, steps, depth, ends, violation }: Searched): string {
  const numbers = `${states.toLocaleString('en')} states, ${steps.toLocaleString('en')} steps, depth ${depth}`
  if (!violation) return `${name}: ${numbers}; it has met: ${ends.join(', ')}`
  return `${name}: found after ${numbers}: ${violation.what}, by ${violation.trace.length} steps`
}
