/**
 * The start of an export: the profile and its first posts.
 *
 * @module
 */
import { at, BadInput, type Context, jsonAfter, LoginNeeded, NotFound, SourceChanged } from 'gleaner/plugin'
import { askApi } from './api.ts'
import { endOf, failureInPage, sharedDataOf } from './failures.ts'
import { connectionPage, type PostPage } from './pages.ts'
import { type Profile, profileOf } from './profile.ts'

export type Entry = {
  readonly profile: Profile
  /** the profile as the source wrote it */
  readonly user: unknown
  /** the first posts; null when the response has none, and they must be requested */
  readonly first: PostPage | null
}

const PROFILE = '/api/v1/users/web_profile_info/'

/**
 * Finds a profile. For some profiles, the API returns 400 to visitors who are not signed in. The API's other host is
 * then tried, and finally the profile's page.
 *
 * @throws {SourceError} `not-found`; `source-login-required` when none of the three shows the profile to visitors
 */
export async function enter(context: Context, username: string): Promise<Entry> {
  let refusal = ''
  for (const host of ['', 'https://i.instagram.com']) {
    try {
      return entryOf(await askApi(context, `${host}${PROFILE}`, { username }, username), context.origin)
    } catch (error) {
      if (!(error instanceof BadInput)) throw error
      refusal = error.message
    }
  }
  const user = await userOfPage(context, username)
  if (user === undefined) throw new LoginNeeded(refusal)
  return { user, profile: profileOf(user, context.origin), first: firstPosts(user) }
}

function entryOf(json: unknown, origin: string): Entry {
  const user = at(json, 'data', 'user')
  if (user === null) throw new NotFound('the source has no such user')
  if (user === undefined) throw new SourceChanged('the response has no user')
  const profile = profileOf(user, origin)
  const first = firstPosts(user)
  if (first === null) throw new SourceChanged('the profile has no list of posts')
  return { user, profile, first }
}

function firstPosts(user: unknown): PostPage | null {
  const list = at(user, 'edge_owner_to_timeline_media')
  return list === undefined || list === null ? null : connectionPage(list)
}

/** The user in the profile's page; undefined when it has none, like most pages since 2022. */
async function userOfPage(context: Context, username: string): Promise<unknown> {
  const reply = await context.fetch(`/${username}/`, { accept: [400, 401, 403, 404] })
  const html = await reply.text()
  if (reply.status !== 200) return undefined
  const failure = failureInPage(html)
  if (failure) throw endOf(failure, context.signedIn)
  const old = at(sharedDataOf(html), 'entry_data', 'ProfilePage', 0, 'graphql', 'user')
  if (old !== undefined && old !== null) return old
  // A page that withholds the user has null here.
  return /"xig_user_by_username":\s*\{/.test(html) ? jsonAfter(html, '"xig_user_by_username":') : undefined
}
