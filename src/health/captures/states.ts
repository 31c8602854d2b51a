/**
 * The values in a signed-in state that may be secrets.
 *
 * @module
 */
import { isUnmistakable } from '../../recording/credentials.ts'

/** As a browser saves it. */
type State = {
  readonly cookies?: readonly { readonly value: string }[]
  readonly origins?: readonly { readonly localStorage?: readonly { readonly value: string }[] }[]
}

/** Entries of the storage may be large, and hold much that is no secret. */
const MOST_STORED = 1000

/**
 * The values of its cookies, and those in its local storage that look like tokens.
 *
 * @param state JSON text in Playwright's format
 */
export function valuesIn(state: string): string[] {
  const { cookies = [], origins = [] } = JSON.parse(state) as State
  const stored = origins.flatMap(({ localStorage = [] }) => localStorage.map(({ value }) => value))
  // Sites store JSON there, and queries.
  const words = stored.flatMap((value) => [value, ...value.split(/[^\w%+/=.:|~-]+/)]).filter(isUnmistakable)
  return [...cookies.map(({ value }) => value), ...new Set(words.slice(0, MOST_STORED))]
}
