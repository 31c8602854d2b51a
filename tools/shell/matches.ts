/**
 * What `paths` finds.
 *
 * @module
 */
import { scriptsOf } from '../shape/html.ts'
import { documentOf } from './answer.ts'
import { type PathMatch, searchPaths } from './search.ts'

/** A path that matches, with the script that it is in when a page was searched. */
export type Match = PathMatch & { readonly marker?: string }

/** Paths that match, the shortest first. */
export class Matches extends Array<Match> {}

/**
 * Searches JSON, or the JSON in the scripts of a page.
 *
 * @param subject JSON, a page as text, or an answer's text
 */
export function matchesIn(subject: unknown, pattern: string | RegExp): Matches {
  const matches =
    typeof subject === 'string'
      ? scriptsOf(documentOf(subject)).flatMap(({ name, marker, json }) =>
          searchPaths(json, pattern).map((match) => ({ ...match, marker, path: `${name} ${match.path}` })),
        )
      : searchPaths(subject, pattern)
  return Matches.from(matches.sort((a, b) => a.steps.length - b.steps.length)) as Matches
}
