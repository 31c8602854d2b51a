/**
 * Reads the posts of a profile from the list for members: `api/v1/feed/user`.
 *
 * @module
 */
import { BadInput, type Context, NotFound, SourceChanged } from 'gleaner/plugin'
import { askApi } from './api.ts'
import { type PostPage, pageIn } from './pages.ts'
import type { Profile } from './profile.ts'

/** The page size that the site's own pages request. */
const PAGE = '12'

/**
 * The first page of the list, which requires a login.
 *
 * @returns null when the list is unexpectedly empty, or the source has no such list
 * @throws {SourceError} also `source-changed` for a response of another form
 */
export async function firstOfFeed(context: Context, profile: Profile): Promise<PostPage | null> {
  const page = await asked(context, profile, null).catch(refused)
  return page && (page.nodes.length > 0 || profile.post_count === 0) ? page : null
}

function refused(error: unknown): null {
  if (error instanceof BadInput || error instanceof NotFound) return null
  throw error
}

/** A further page. @param after its position. @throws {SourceError} */
export async function feedPage(context: Context, profile: Profile, after: string | null): Promise<PostPage> {
  try {
    return await asked(context, profile, after)
  } catch (error) {
    // The first page was read and the request is valid, so the source must have changed.
    if (error instanceof BadInput || error instanceof NotFound) throw new SourceChanged(error.message)
    throw error
  }
}

async function asked(context: Context, { id, username }: Profile, after: string | null): Promise<PostPage> {
  const address = after === null ? `/api/v1/feed/user/${username}/username/` : `/api/v1/feed/user/${id}/`
  const query = { count: PAGE, ...(after === null ? {} : { max_id: after }) }
  return pageIn(await askApi(context, address, query, username))
}
