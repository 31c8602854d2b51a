/**
 * The start of an export: the first route that shows the profile.
 *
 * @module
 */
import type { Context } from 'gleaner/plugin'
import type { ProfileFeed } from './posts.ts'
import { chainOf } from './routes/chain.ts'
import { feedByIdRoute, feedRoute } from './routes/feed.ts'
import { pageRoute, queriesRoute } from './routes/visitor.ts'
import { webProfileRoute } from './routes/web-profile.ts'
import { Site } from './site/site.ts'

/**
 * Finds a profile.
 *
 * @throws {SourceError} `not-found`; or the error that follows from the refusals of all routes
 */
export function enter(context: Context, username: string): Promise<ProfileFeed> {
  const site = new Site(context, username)
  const forAll = [pageRoute(site), queriesRoute(site)]
  const all = context.signedIn
    ? [feedRoute(site), feedByIdRoute(site), ...forAll]
    : [...forAll, webProfileRoute(site), feedRoute(site)]
  return chainOf(site, all, true)()
}
