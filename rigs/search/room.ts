/**
 * The searched models: with bounds for `npm test`, with larger bounds for `npm run search`, and with planted bugs.
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
  /** each is the model with one wrong decision; `finds`: the violation that the search must report */
  readonly planted: readonly (Search & { readonly finds: RegExp })[]
}

export const searchOf = <State extends object>(name: string, model: () => Model<State>): Search => ({
  name,
  search: () => search(model()),
})

/** A number with its noun, for the names of bounds. */
export const many = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`

/** A summary of a search in one line. */
export function summaryOf(name: string, { states, steps, depth, ends, violation }: Searched): string {
  const numbers = `${states.toLocaleString('en')} states, ${steps.toLocaleString('en')} steps, depth ${depth}`
  if (!violation) return `${name}: ${numbers}; it has met: ${ends.join(', ')}`
  return `${name}: found after ${numbers}: ${violation.what}, by ${violation.trace.length} steps`
}
