/**
 * Whole posts for visitors, whose lists have only a part of each: no time, no counts, no videos.
 *
 * @module
 */
import { at, Blocked, NotFound, SourceChanged, SourceError, textOrNull } from 'gleaner/plugin'
import { objectFacts } from '../parsers/media-object.ts'
import { postOf, type ReadPost } from '../parsers/post.ts'
import type { Profile } from '../parsers/profile.ts'
import type { WholePosts } from '../posts.ts'
import { loginAsked, otherForm, throttled } from '../site/refusals.ts'
import type { Query, Site } from '../site/site.ts'
import { chainOf } from './chain.ts'

const POST: Query = { name: 'PolarisLoggedOutDesktopWWWPostRootContentQuery', id: '27130156389949648' }
/** After so many refusals in a row, no further posts are asked for. */
const MOST_REFUSED = 3

const pathOf = ({ post }: ReadPost): string => `/p/${post.shortcode}/`

/** Reads whole posts, each by the query of its page or, if that is refused, from the page. */
export function wholePosts(site: Site, profile: Profile): WholePosts {
  /** in a row */
  const refusals: SourceError[] = []
  return {
    async read(part) {
      const last = refusals.at(-1)
      if (last && refusals.length >= MOST_REFUSED) return withFault(part, last.message)
      const wholeOf = (media: unknown) => readWhole(media, part, profile, site.context.origin)
      // A refusal may be about this post only, so both are asked for the next one.
      const read = chainOf<void, ReadPost>(site, [
        { name: 'post query', shared: false, read: async () => wholeOf(await byQuery(site, part)) },
        { name: 'post page', shared: false, read: async () => wholeOf(await byPage(site, part)) },
      ])
      try {
        const post = await read()
        refusals.length = 0
        return post
      } catch (error) {
        if (!(error instanceof SourceError)) throw error
        if (error.code === 'not-found') refusals.length = 0
        else refusals.push(error)
        return withFault(part, error.message)
      }
    },
    confirm(isLast) {
      const last = refusals.at(-1)
      if (last && (isLast || refusals.length >= MOST_REFUSED)) throw last
    },
  }
}

async function byQuery(site: Site, part: ReadPost): Promise<unknown> {
  const json = await site.query(POST, { media_id: part.post.post_id }, pathOf(part))
  const media = at(json, 'data', 'xig_polaris_media')
  if (media === undefined) throw otherForm('the response has no post')
  if (media === null) throw new Blocked('the source does not show the post')
  if (at(media, 'code') !== part.post.shortcode) throw otherForm('the response has another post')
  return media
}

async function byPage(site: Site, part: ReadPost): Promise<unknown> {
  const { kind, posts, title } = await site.page(pathOf(part))
  if (kind === 'missing') throw new NotFound('the source no longer has this post')
  if (kind === 'sign-in') throw loginAsked('the sign-in page')
  // The page has other posts too.
  const media = posts.find((one) => at(one, 'code') === part.post.shortcode)
  if (media !== undefined) return media
  const words = `a page without data: ${title ?? 'no title'}`
  throw kind === 'post' ? throttled(words) : new SourceChanged(words)
}

/** The post in a record; the part with a fault, if the source shows the post to members only. */
function readWhole(media: unknown, part: ReadPost, profile: Profile, origin: string): ReadPost {
  const visiblePost = at(media, 'if_not_gated_logged_out')
  if (visiblePost === undefined) throw otherForm('the response has no post')
  if (visiblePost === null) {
    const gate = textOrNull(at(media, 'gating_ruling', 'gating_type')) ?? 'no reason given'
    return withFault(part, `the source shows this post to members only (${gate})`)
  }
  const { is_pinned } = part.post
  return postOf({ ...objectFacts(visiblePost, profile), is_pinned }, visiblePost, origin)
}

/** A part of a post in place of the whole one. Its only medium is a preview. */
const withFault = ({ post, ...rest }: ReadPost, words: string): ReadPost => ({
  ...rest,
  post: { ...post, media: post.media.map((one) => ({ ...one, error: `${words}: this is a preview` })) },
})
