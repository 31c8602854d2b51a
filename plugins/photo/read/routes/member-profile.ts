/**
 * What members are told about a profile beside its list of posts.
 *
 * @module
 */
import { at, Blocked, entriesAt, SourceError, textOrNull } from 'gleaner/plugin'
import { idIn } from '../parsers/values.ts'
import { otherForm } from '../site/refusals.ts'
import type { Site } from '../site/site.ts'
import { chainOf } from './chain.ts'
import { webProfile } from './web-profile.ts'

/** The whole profile; `owner`, what its list of posts says of it, if no route says more. */
export async function wholeUser(site: Site, id: string, owner: unknown): Promise<unknown> {
  const read = chainOf<void, unknown>(site, [
    { name: 'user info', read: async () => userInfo(site, id) },
    { name: 'web profile', read: async () => webProfile(site) },
  ])
  try {
    return { ...(owner as object), ...((await read()) as object) }
  } catch (error) {
    if (!(error instanceof SourceError) || error.isFinal || site.refusal) throw error
    if (error.code === 'source-rate-limited') throw error
    return owner
  }
}

async function userInfo(site: Site, id: string): Promise<unknown> {
  const user = at(await site.api(`/api/v1/users/${id}/info/`), 'user')
  if (idIn(user, 'pk', 'id') !== id) throw otherForm('the response does not have the user')
  return user
}

/** The id of the profile. */
export const idOf = (site: Site): Promise<string> =>
  chainOf<void, string>(site, [
    { name: 'web profile', read: async () => idIn(await webProfile(site), 'pk', 'id') ?? withoutId() },
    { name: 'search', read: async () => idFound(site) },
  ])()

async function idFound(site: Site): Promise<string> {
  const json = await site.api('/web/search/topsearch/', { query: site.username })
  if (!Array.isArray(at(json, 'users'))) throw otherForm('the response has no list of users')
  const users = entriesAt(json, 'users').map((entry) => at(entry, 'user'))
  const own = users.find((user) => textOrNull(at(user, 'username'))?.toLowerCase() === site.username)
  // The search leaves out some profiles, so this is no answer about the profile.
  if (own === undefined) throw new Blocked('the search does not show the profile')
  return idIn(own, 'pk', 'id') ?? withoutId()
}

function withoutId(): never {
  throw otherForm('the profile has no id')
}
