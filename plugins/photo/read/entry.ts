/**
 * The start of an export: the first route that shows the profile.
 *
 * @module
 */
import type { Context } from 'gleaner/plugin'
import { chainOf } from './chain.ts'
import { feedByIdRoute, feedRoute } from './feed.ts'
import type { Shown } from './posts.ts'
import { Site } from './site.ts'
import { pageRoute, queriesRoute } from './visitor.ts'
import { webProfileRoute } from './web-profile.ts'

/**
 * Finds a profile.
 *
 * @throws {SourceError} `not-found`; or the error that follows from the refusals of all routes
 */
export function enter(context: Context, username: string): Promise<Shown> {
  const site = new Site(context, username)
  const forAll = [pageRoute(site), queriesRoute(site)]
  const all = context.signedIn
    ? [feedRoute(site), feedByIdRoute(site), ...forAll]
    : [...forAll, webProfileRoute(site), feedRoute(site)]
  return chainOf(site, all, true)()
}
