/**
 * Secrets that are known by their value: cookies of a login and the operator's credentials.
 *
 * @module
 */
import type { SavedCookie } from '../net/cookies.ts'

/** A shorter value occurs in many places by chance, and protects nothing. */
const SHORTEST = 6

export type KnownSecrets = {
  readonly cookies?: readonly Pick<SavedCookie, 'value'>[] | undefined
  /** by name */
  readonly credentials?: Readonly<Record<string, string>> | undefined
}

/** The values that must not occur in a cassette. */
export const secretsOf = ({ cookies = [], credentials = {} }: KnownSecrets): string[] => [
  ...cookies.map(({ value }) => value),
  ...Object.values(credentials),
]

/** The forms in which pages, addresses and JSON texts contain these values, the longest first. */
export function formsOf(secrets: Iterable<string>): string[] {
  const forms = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue
    for (const plain of [secret, decoded(secret)])
      for (const form of [plain, encodeURIComponent(plain), escapedForHtml(plain), escapedForJson(plain)])
        forms.add(form)
  }
  // A value may be a part of another one.
  return [...forms].sort((a, b) => b.length - a.length)
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const escapedForJson = (value: string): string => JSON.stringify(value).slice(1, -1)

const escapedForHtml = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
